package conformance

import (
	"net"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

const smallestVolumeGB = 10

// Each function of this file makes one thing, named and labelled for this run, waits until it is there and removes
// it when the test ended.

// order is an order for a server that would be carried out.
func order(t *testing.T) hcloud.ServerCreateOpts {
	t.Helper()
	now := currentOffer(t)
	return hcloud.ServerCreateOpts{
		Name:       newName("server"),
		ServerType: now.serverType,
		Image:      now.image,
		Location:   now.location,
		Labels:     marked(nil),
	}
}

// place sends an order and does not wait for it.
func place(t *testing.T, opts hcloud.ServerCreateOpts) (hcloud.ServerCreateResult, error) {
	t.Helper()
	made, _, err := client.Server.Create(ctx, opts)
	if made.Server != nil {
		t.Cleanup(func() { allowed(t, removeServer(made.Server)) })
	}
	return made, err
}

func newServer(t *testing.T, opts hcloud.ServerCreateOpts) *hcloud.Server {
	t.Helper()
	made, err := place(t, opts)
	allowed(t, err)
	await(t, append(made.NextActions, made.Action)...)
	return serverNow(t, made.Server)
}

// serverNow is the server as the API shows it at this moment.
func serverNow(t *testing.T, server *hcloud.Server) *hcloud.Server {
	t.Helper()
	now, _, err := client.Server.GetByID(ctx, server.ID)
	allowed(t, err)
	if now == nil {
		t.Fatalf("server %d is gone", server.ID)
	}
	return now
}

func cidr(t *testing.T, text string) *net.IPNet {
	t.Helper()
	_, parsed, err := net.ParseCIDR(text)
	allowed(t, err)
	return parsed
}

// subnet is one in the zone of the servers.
func subnet(t *testing.T, ipRange string) hcloud.NetworkSubnet {
	t.Helper()
	return hcloud.NetworkSubnet{
		Type:        hcloud.NetworkSubnetTypeCloud,
		IPRange:     cidr(t, ipRange),
		NetworkZone: currentOffer(t).location.NetworkZone,
	}
}

func newNetwork(t *testing.T, ipRange string, subnets ...hcloud.NetworkSubnet) *hcloud.Network {
	t.Helper()
	network, err := placeNetwork(t, hcloud.NetworkCreateOpts{
		Name:    newName("net"),
		IPRange: cidr(t, ipRange),
		Subnets: subnets,
		Labels:  marked(nil),
	})
	allowed(t, err)
	return network
}

func placeNetwork(t *testing.T, opts hcloud.NetworkCreateOpts) (*hcloud.Network, error) {
	t.Helper()
	network, _, err := client.Network.Create(ctx, opts)
	if network != nil {
		t.Cleanup(func() { allowed(t, removeNetwork(network)) })
	}
	return network, err
}

func networkNow(t *testing.T, network *hcloud.Network) *hcloud.Network {
	t.Helper()
	now, _, err := client.Network.GetByID(ctx, network.ID)
	allowed(t, err)
	return now
}

func newVolume(t *testing.T, location *hcloud.Location) *hcloud.Volume {
	t.Helper()
	volume, err := placeVolume(t, hcloud.VolumeCreateOpts{
		Name:     newName("volume"),
		Size:     smallestVolumeGB,
		Location: location,
		Labels:   marked(nil),
	})
	allowed(t, err)
	return volume
}

func placeVolume(t *testing.T, opts hcloud.VolumeCreateOpts) (*hcloud.Volume, error) {
	t.Helper()
	made, _, err := client.Volume.Create(ctx, opts)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { allowed(t, removeVolume(made.Volume)) })
	await(t, append(made.NextActions, made.Action)...)
	return volumeNow(t, made.Volume), nil
}

func volumeNow(t *testing.T, volume *hcloud.Volume) *hcloud.Volume {
	t.Helper()
	now, _, err := client.Volume.GetByID(ctx, volume.ID)
	allowed(t, err)
	return now
}

func newFirewall(t *testing.T, rules ...hcloud.FirewallRule) *hcloud.Firewall {
	t.Helper()
	made, _, err := client.Firewall.Create(ctx, hcloud.FirewallCreateOpts{
		Name:   newName("wall"),
		Rules:  rules,
		Labels: marked(nil),
	})
	allowed(t, err)
	t.Cleanup(func() { allowed(t, removeFirewall(made.Firewall)) })
	await(t, made.Actions...)
	return made.Firewall
}

func firewallNow(t *testing.T, firewall *hcloud.Firewall) *hcloud.Firewall {
	t.Helper()
	now, _, err := client.Firewall.GetByID(ctx, firewall.ID)
	allowed(t, err)
	return now
}

func newPlacementGroup(t *testing.T, labels map[string]string) *hcloud.PlacementGroup {
	t.Helper()
	made, _, err := client.PlacementGroup.Create(ctx, hcloud.PlacementGroupCreateOpts{
		Name:   newName("group"),
		Type:   hcloud.PlacementGroupTypeSpread,
		Labels: marked(labels),
	})
	allowed(t, err)
	t.Cleanup(func() { allowed(t, removePlacementGroup(made.PlacementGroup)) })
	return made.PlacementGroup
}

func newPrimaryIP(t *testing.T, kind hcloud.PrimaryIPType) *hcloud.PrimaryIP {
	t.Helper()
	made, _, err := client.PrimaryIP.Create(ctx, hcloud.PrimaryIPCreateOpts{
		Name:         newName("ip"),
		Type:         kind,
		AssigneeType: "server",
		AutoDelete:   hcloud.Ptr(false),
		Location:     currentOffer(t).location.Name,
		Labels:       marked(nil),
	})
	allowed(t, err)
	t.Cleanup(func() { allowed(t, removePrimaryIP(made.PrimaryIP)) })
	await(t, made.Action)
	return made.PrimaryIP
}
