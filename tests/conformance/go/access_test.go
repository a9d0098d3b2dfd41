package conformance

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"net"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

func inbound(t *testing.T, port string, ranges ...string) hcloud.FirewallRule {
	t.Helper()
	rule := hcloud.FirewallRule{Direction: hcloud.FirewallRuleDirectionIn, Protocol: hcloud.FirewallRuleProtocolTCP}
	if port != "" {
		rule.Port = &port
	}
	for _, ipRange := range ranges {
		rule.SourceIPs = append(rule.SourceIPs, *cidr(t, ipRange))
	}
	return rule
}

func atServer(server *hcloud.Server) []hcloud.FirewallResource {
	target := hcloud.FirewallResourceServer{ID: server.ID}
	return []hcloud.FirewallResource{{Type: hcloud.FirewallResourceTypeServer, Server: &target}}
}

func TestFirewallOfOrderIsApplied(t *testing.T) {
	firewall := newFirewall(t, inbound(t, "443", "0.0.0.0/0", "::/0"))
	opts := order(t)
	opts.Firewalls = []*hcloud.ServerCreateFirewall{{Firewall: *firewall}}
	server := newServer(t, opts)
	equal(t, len(server.PublicNet.Firewalls), 1)
	equal(t, server.PublicNet.Firewalls[0].Firewall.ID, firewall.ID)
	equal(t, server.PublicNet.Firewalls[0].Status, hcloud.FirewallStatusApplied)
	equal(t, firewallNow(t, firewall).AppliedTo[0].Server.ID, server.ID)
	_, err := client.Firewall.Delete(ctx, firewall)
	refused(t, err, hcloud.ErrorCodeResourceInUse)
}

func TestFirewallIsAppliedLaterAndTakenOff(t *testing.T) {
	firewall, server := newFirewall(t), lentServer(t)
	waiting(t).allDone(client.Firewall.ApplyResources(ctx, firewall, atServer(server)))
	_, _, err := client.Firewall.ApplyResources(ctx, firewall, atServer(server))
	refused(t, err, hcloud.ErrorCodeFirewallAlreadyApplied)
	waiting(t).allDone(client.Firewall.RemoveResources(ctx, firewall, atServer(server)))
	equal(t, len(firewallNow(t, firewall).AppliedTo), 0)
}

func TestFirewallFollowsLabels(t *testing.T) {
	firewall, server, role := newFirewall(t), lentServer(t), newName("role")
	labels := marked(map[string]string{"role": role})
	_, _, err := client.Server.Update(ctx, server, hcloud.ServerUpdateOpts{Labels: labels})
	allowed(t, err)
	selector := hcloud.FirewallResourceLabelSelector{Selector: "role=" + role}
	target := hcloud.FirewallResource{Type: hcloud.FirewallResourceTypeLabelSelector, LabelSelector: &selector}
	waiting(t).allDone(client.Firewall.ApplyResources(ctx, firewall, []hcloud.FirewallResource{target}))
	applied := firewallNow(t, firewall).AppliedTo
	equal(t, len(applied), 1)
	equal(t, len(applied[0].AppliedToResources), 1)
	equal(t, applied[0].AppliedToResources[0].Server.ID, server.ID)
}

func TestRules(t *testing.T) {
	firewall := newFirewall(t, inbound(t, "443", "0.0.0.0/0"))
	for _, bad := range []hcloud.FirewallRule{
		inbound(t, "", "0.0.0.0/0"), inbound(t, "70000", "0.0.0.0/0"), inbound(t, "22"),
	} {
		_, _, err := client.Firewall.SetRules(ctx, firewall, hcloud.FirewallSetRulesOpts{Rules: []hcloud.FirewallRule{bad}})
		refused(t, err, hcloud.ErrorCodeInvalidInput)
	}
	described := inbound(t, "80-90", "10.0.0.0/8")
	described.Description = hcloud.Ptr("inside")
	waiting(t).allDone(
		client.Firewall.SetRules(ctx, firewall, hcloud.FirewallSetRulesOpts{Rules: []hcloud.FirewallRule{described}}),
	)
	rules := firewallNow(t, firewall).Rules
	equal(t, len(rules), 1)
	equal(t, *rules[0].Port+" "+*rules[0].Description+" "+rules[0].SourceIPs[0].String(), "80-90 inside 10.0.0.0/8")
}

func TestPrimaryIPOutlivesItsServer(t *testing.T) {
	address := newPrimaryIP(t, hcloud.PrimaryIPTypeIPv4)
	opts := order(t)
	opts.PublicNet = &hcloud.ServerCreatePublicNet{EnableIPv4: true, IPv4: address}
	server := newServer(t, opts)
	equal(t, server.PublicNet.IPv4.IP.String(), address.IP.String())
	_, err := client.PrimaryIP.Delete(ctx, address)
	refused(t, err, "must_be_unassigned")
	_, _, err = client.PrimaryIP.Unassign(ctx, address.ID)
	refused(t, err, hcloud.ErrorCodeServerNotStopped)
	allowed(t, removeServer(server))
	kept, _, err := client.PrimaryIP.GetByID(ctx, address.ID)
	allowed(t, err)
	equal(t, kept.AssigneeID, 0)
	found, _, err := client.PrimaryIP.GetByIP(ctx, address.IP.String())
	allowed(t, err)
	equal(t, found.ID, address.ID)
}

func TestPrimaryIPIsAssignedToServerThatIsOff(t *testing.T) {
	address := newPrimaryIP(t, hcloud.PrimaryIPTypeIPv6)
	equal(t, address.Network.IP.Equal(net.IPv6zero), false)
	opts := order(t)
	opts.PublicNet = &hcloud.ServerCreatePublicNet{EnableIPv4: true}
	server := newServer(t, opts)
	assign := hcloud.PrimaryIPAssignOpts{ID: address.ID, AssigneeID: server.ID, AssigneeType: "server"}
	_, _, err := client.PrimaryIP.Assign(ctx, assign)
	refused(t, err, hcloud.ErrorCodeServerNotStopped)
	waiting(t).done(client.Server.Poweroff(ctx, server))
	waiting(t).done(client.PrimaryIP.Assign(ctx, assign))
	equal(t, serverNow(t, server).PublicNet.IPv6.ID, address.ID)
	_, _, err = client.PrimaryIP.Assign(ctx, assign)
	refused(t, err, hcloud.ErrorCodePrimaryIPAlreadyAssigned)
	allowed(t, removeServer(server))
}

func TestSSHKeys(t *testing.T) {
	line := publicKey(t)
	key := newSSHKey(t, line)
	equal(t, key.PublicKey, line)
	found, _, err := client.SSHKey.GetByFingerprint(ctx, key.Fingerprint)
	allowed(t, err)
	equal(t, found.ID, key.ID)
	for _, again := range []hcloud.SSHKeyCreateOpts{
		{Name: key.Name, PublicKey: publicKey(t), Labels: marked(nil)},
		{Name: newName("key"), PublicKey: line, Labels: marked(nil)},
	} {
		_, _, err := client.SSHKey.Create(ctx, again)
		refused(t, err, hcloud.ErrorCodeUniquenessError)
	}
	_, _, err = client.SSHKey.Create(ctx, hcloud.SSHKeyCreateOpts{
		Name: newName("key"), PublicKey: "nonsense", Labels: marked(nil),
	})
	refused(t, err, hcloud.ErrorCodeInvalidInput)
}

func newSSHKey(t *testing.T, line string) *hcloud.SSHKey {
	t.Helper()
	opts := hcloud.SSHKeyCreateOpts{Name: newName("key"), PublicKey: line, Labels: marked(nil)}
	key, _, err := client.SSHKey.Create(ctx, opts)
	allowed(t, err)
	t.Cleanup(func() { allowed(t, removeSSHKey(key)) })
	return key
}

// publicKey is a new key as a line for authorized_keys (RFC 8709: the name and the key, each behind its length).
func publicKey(t *testing.T) string {
	t.Helper()
	public, _, err := ed25519.GenerateKey(nil)
	allowed(t, err)
	var blob []byte
	for _, part := range [][]byte{[]byte("ssh-ed25519"), public} {
		blob = binary.BigEndian.AppendUint32(blob, uint32(len(part)))
		blob = append(blob, part...)
	}
	return "ssh-ed25519 " + base64.StdEncoding.EncodeToString(blob)
}
