package conformance

import (
	"net"
	"slices"
	"strconv"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

func TestServerIsFoundByIDAndName(t *testing.T) {
	server := lentServer(t)
	for _, key := range []string{strconv.FormatInt(server.ID, 10), server.Name} {
		found, _, err := client.Server.Get(ctx, key)
		allowed(t, err)
		equal(t, found.ID, server.ID)
	}
	for _, key := range []string{"1000000000", newName("none")} {
		found, _, err := client.Server.Get(ctx, key)
		allowed(t, err)
		if found != nil {
			t.Errorf("%s is %s", key, found.Name)
		}
	}
	_, err := client.Server.Delete(ctx, &hcloud.Server{ID: 1_000_000_000})
	refused(t, err, hcloud.ErrorCodeNotFound)
}

func TestPower(t *testing.T) {
	server := lentServer(t)
	waiting(t).done(client.Server.Poweroff(ctx, server))
	equal(t, serverNow(t, server).Status, hcloud.ServerStatusOff)
	waiting(t).done(client.Server.Poweron(ctx, server))
	equal(t, serverNow(t, server).Status, hcloud.ServerStatusRunning)
}

func TestProtectedServerIsNotDeleted(t *testing.T) {
	server := lentServer(t)
	protection := hcloud.ServerChangeProtectionOpts{Delete: hcloud.Ptr(true), Rebuild: hcloud.Ptr(true)}
	waiting(t).done(client.Server.ChangeProtection(ctx, server, protection))
	equal(t, serverNow(t, server).Protection, hcloud.ServerProtection{Delete: true, Rebuild: true})
	_, err := client.Server.Delete(ctx, server)
	refused(t, err, hcloud.ErrorCodeProtected)
}

func TestDeletedServerGivesBackWhatItHeld(t *testing.T) {
	network := newNetwork(t, "10.0.0.0/16", subnet(t, "10.0.1.0/24"))
	volume := newVolume(t, currentOffer(t).location)
	server := newServer(t, order(t))
	attach := hcloud.ServerAttachToNetworkOpts{Network: network, IP: net.ParseIP("10.0.1.20")}
	waiting(t).done(client.Server.AttachToNetwork(ctx, server, attach))
	waiting(t).done(client.Volume.Attach(ctx, volume, server))
	deleted, _, err := client.Server.DeleteWithResult(ctx, server)
	allowed(t, err)
	await(t, deleted.Action)
	if holder := volumeNow(t, volume).Server; holder != nil {
		t.Errorf("the volume is still at %d", holder.ID)
	}
	equal(t, len(networkNow(t, network).Servers), 0)
	address, _, err := client.PrimaryIP.GetByID(ctx, server.PublicNet.IPv4.ID)
	allowed(t, err)
	if address != nil {
		t.Errorf("the address %s is still there", address.IP)
	}
	gone, _, err := client.Server.GetByID(ctx, server.ID)
	allowed(t, err)
	if gone != nil {
		t.Errorf("the server is %s", gone.Status)
	}
}

func TestNameAndLabelsChange(t *testing.T) {
	server, other := lentServer(t), neighbour(t)
	name := newName("new")
	renamed, _, err := client.Server.Update(ctx, server, hcloud.ServerUpdateOpts{Name: name})
	allowed(t, err)
	equal(t, renamed.Name, name)
	equal(t, renamed.Labels[runLabel], run)
	labels := marked(map[string]string{"a": "b"})
	relabelled, _, err := client.Server.Update(ctx, server, hcloud.ServerUpdateOpts{Labels: labels})
	allowed(t, err)
	equal(t, relabelled.Name, name)
	equal(t, relabelled.Labels["a"], "b")
	_, _, err = client.Server.Update(ctx, server, hcloud.ServerUpdateOpts{Name: other.Name})
	refused(t, err, hcloud.ErrorCodeUniquenessError)
}

func TestTypeChangesWhenServerIsOff(t *testing.T) {
	now := currentOffer(t)
	server := newServer(t, order(t))
	change := hcloud.ServerChangeTypeOpts{ServerType: now.larger}
	_, _, err := client.Server.ChangeType(ctx, server, change)
	refused(t, err, hcloud.ErrorCodeServerNotStopped)
	waiting(t).done(client.Server.Poweroff(ctx, server))
	waiting(t).done(client.Server.ChangeType(ctx, server, change))
	changed := serverNow(t, server)
	equal(t, changed.ServerType.ID, now.larger.ID)
	equal(t, changed.PrimaryDiskSize, now.serverType.Disk)
}

func TestPlacementGroup(t *testing.T) {
	server, group := lentServer(t), newPlacementGroup(t, nil)
	_, _, err := client.Server.AddToPlacementGroup(ctx, server, group)
	refused(t, err, hcloud.ErrorCodeServerNotStopped)
	waiting(t).done(client.Server.Poweroff(ctx, server))
	waiting(t).done(client.Server.AddToPlacementGroup(ctx, server, group))
	equal(t, serverNow(t, server).PlacementGroup.ID, group.ID)
	placed, _, err := client.PlacementGroup.GetByID(ctx, group.ID)
	allowed(t, err)
	equal(t, len(placed.Servers), 1)
	equal(t, placed.Servers[0], server.ID)
	waiting(t).done(client.Server.RemoveFromPlacementGroup(ctx, server))
	if left := serverNow(t, server).PlacementGroup; left != nil {
		t.Errorf("the server is still in %s", left.Name)
	}
}

func TestReverseDNS(t *testing.T) {
	server := lentServer(t)
	ip, own := server.PublicNet.IPv4.IP, server.PublicNet.IPv4.DNSPtr
	name := "cp.conformance.example.org"
	waiting(t).done(client.RDNS.ChangeDNSPtr(ctx, server, ip, &name))
	equal(t, serverNow(t, server).PublicNet.IPv4.DNSPtr, name)
	waiting(t).done(client.RDNS.ChangeDNSPtr(ctx, server, ip, nil))
	equal(t, serverNow(t, server).PublicNet.IPv4.DNSPtr, own)
	host := slices.Clone(server.PublicNet.IPv6.IP)
	host[15] = 1
	waiting(t).done(client.RDNS.ChangeDNSPtr(ctx, server, host, &name))
	found, err := serverNow(t, server).GetDNSPtrForIP(host)
	allowed(t, err)
	equal(t, found, name)
	waiting(t).done(client.RDNS.ChangeDNSPtr(ctx, server, host, nil))
}

func TestActionsAreReadByID(t *testing.T) {
	server := lentServer(t)
	actions, err := client.Server.Action.AllFor(ctx, server, hcloud.ActionListOpts{})
	allowed(t, err)
	if len(actions) < 2 {
		t.Fatalf("a server was created and started, but has %d actions", len(actions))
	}
	ids := []int64{actions[0].ID, actions[1].ID}
	found, err := client.Action.AllWithOpts(ctx, hcloud.ActionListOpts{ID: ids, Sort: []string{"status", "id"}})
	allowed(t, err)
	equal(t, len(found), 2)
	for _, action := range found {
		equal(t, action.Status, hcloud.ActionStatusSuccess)
		if action.Finished.Before(action.Started) {
			t.Errorf("%s began at %s and ended at %s", action.Command, action.Started, action.Finished)
		}
	}
	unknown := &hcloud.Action{ID: 1, Status: hcloud.ActionStatusRunning}
	if err := client.Action.WaitFor(ctx, unknown); err == nil {
		t.Error("an action that nobody knows was waited for")
	}
}
