package conformance

import (
	"net"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// home is the network of most tests: 10.0.0.0/16 with the subnet 10.0.1.0/24.
func home(t *testing.T) *hcloud.Network {
	t.Helper()
	return newNetwork(t, "10.0.0.0/16", subnet(t, "10.0.1.0/24"))
}

func attachment(network *hcloud.Network, ip string, aliases ...string) hcloud.ServerAttachToNetworkOpts {
	opts := hcloud.ServerAttachToNetworkOpts{Network: network, IP: net.ParseIP(ip)}
	for _, alias := range aliases {
		opts.AliasIPs = append(opts.AliasIPs, net.ParseIP(alias))
	}
	return opts
}

func foreignZone(t *testing.T) hcloud.NetworkZone {
	t.Helper()
	locations, err := client.Location.All(ctx)
	allowed(t, err)
	for _, location := range locations {
		if location.NetworkZone != currentOffer(t).location.NetworkZone {
			return location.NetworkZone
		}
	}
	t.Fatal("there is only one network zone")
	return ""
}

func TestNetworkShowsSubnetsAndGateway(t *testing.T) {
	network := networkNow(t, home(t))
	equal(t, network.IPRange.String(), "10.0.0.0/16")
	equal(t, len(network.Subnets), 1)
	equal(t, network.Subnets[0].IPRange.String(), "10.0.1.0/24")
	equal(t, network.Subnets[0].Gateway.String(), "10.0.0.1")
	equal(t, network.Subnets[0].NetworkZone, currentOffer(t).location.NetworkZone)
	equal(t, network.Subnets[0].Type, hcloud.NetworkSubnetTypeCloud)
}

func TestBadNetworkRange(t *testing.T) {
	for _, ipRange := range []string{"8.8.0.0/16", "10.0.0.0/25", "10.0.0.0/7"} {
		opts := hcloud.NetworkCreateOpts{Name: newName("net"), IPRange: cidr(t, ipRange), Labels: marked(nil)}
		_, err := placeNetwork(t, opts)
		refused(t, err, hcloud.ErrorCodeInvalidInput)
	}
}

func TestBadSubnet(t *testing.T) {
	network := home(t)
	foreign := subnet(t, "10.0.2.0/24")
	foreign.NetworkZone = foreignZone(t)
	for _, bad := range []hcloud.NetworkSubnet{
		subnet(t, "10.1.0.0/24"),   // outside
		subnet(t, "10.0.1.128/25"), // overlaps
		subnet(t, "10.0.2.0/31"),   // too small
		foreign,
	} {
		_, _, err := client.Network.AddSubnet(ctx, network, hcloud.NetworkAddSubnetOpts{Subnet: bad})
		refused(t, err, hcloud.ErrorCodeInvalidInput)
	}
}

func TestTwoChangesOfNetworkAtOnce(t *testing.T) {
	// The second one meets the first one's action. The API says conflict, and the client tries again by itself.
	network := home(t)
	var actions []*hcloud.Action
	for _, ipRange := range []string{"10.0.2.0/24", "10.0.3.0/24"} {
		opts := hcloud.NetworkAddSubnetOpts{Subnet: subnet(t, ipRange)}
		action, _, err := client.Network.AddSubnet(ctx, network, opts)
		allowed(t, err)
		actions = append(actions, action)
	}
	await(t, actions...)
	equal(t, len(networkNow(t, network).Subnets), 3)
}

func TestRoutes(t *testing.T) {
	network := home(t)
	route := hcloud.NetworkRoute{Destination: cidr(t, "192.168.0.0/16"), Gateway: net.ParseIP("10.0.1.10")}
	waiting(t).done(client.Network.AddRoute(ctx, network, hcloud.NetworkAddRouteOpts{Route: route}))
	routes := networkNow(t, network).Routes
	equal(t, len(routes), 1)
	equal(t, routes[0].Destination.String()+" "+routes[0].Gateway.String(), "192.168.0.0/16 10.0.1.10")
	for _, bad := range [][2]string{
		{"8.8.8.0/24", "10.0.1.10"},     // neither private nor everything
		{"192.168.1.0/24", "10.0.1.10"}, // overlaps with the route
		{"10.0.1.0/25", "10.0.1.10"},    // overlaps with the subnet
		{"172.16.0.0/16", "10.0.0.1"},   // the network's own gateway
		{"172.16.0.0/16", "10.9.0.1"},   // outside
	} {
		wrong := hcloud.NetworkRoute{Destination: cidr(t, bad[0]), Gateway: net.ParseIP(bad[1])}
		_, _, err := client.Network.AddRoute(ctx, network, hcloud.NetworkAddRouteOpts{Route: wrong})
		refused(t, err, hcloud.ErrorCodeInvalidInput)
	}
	waiting(t).done(client.Network.DeleteRoute(ctx, network, hcloud.NetworkDeleteRouteOpts{Route: route}))
	equal(t, len(networkNow(t, network).Routes), 0)
}

func TestAddressesAreGivenOrFound(t *testing.T) {
	network, first, second := home(t), lentServer(t), neighbour(t)
	waiting(t).done(client.Server.AttachToNetwork(ctx, first, attachment(network, "10.0.1.20")))
	waiting(t).done(client.Server.AttachToNetwork(ctx, second, attachment(network, "")))
	given, found := serverNow(t, first).PrivateNetFor(network), serverNow(t, second).PrivateNetFor(network)
	equal(t, given.IP.String(), "10.0.1.20")
	if !cidr(t, "10.0.1.0/24").Contains(found.IP) || found.IP.Equal(given.IP) {
		t.Errorf("the second server is at %s", found.IP)
	}
	if _, err := net.ParseMAC(given.MACAddress); err != nil || given.MACAddress == found.MACAddress {
		t.Errorf("the servers have the MAC addresses %s and %s", given.MACAddress, found.MACAddress)
	}
	members, err := client.Network.AllMembers(ctx, network)
	allowed(t, err)
	equal(t, len(members), 2)
	equal(t, len(networkNow(t, network).Servers), 2)
}

func TestAddressMustBeInSubnetAndFree(t *testing.T) {
	network, first, second := home(t), lentServer(t), neighbour(t)
	waiting(t).done(client.Server.AttachToNetwork(ctx, first, attachment(network, "10.0.1.20", "10.0.1.21")))
	for ip, code := range map[string]hcloud.ErrorCode{
		"10.0.2.20":  hcloud.ErrorCodeInvalidInput, // in the network, in no subnet
		"10.0.0.1":   hcloud.ErrorCodeInvalidInput,
		"10.0.1.0":   hcloud.ErrorCodeInvalidInput,
		"10.0.1.255": hcloud.ErrorCodeInvalidInput,
		"10.0.1.20":  hcloud.ErrorCodeIPNotAvailable,
		"10.0.1.21":  hcloud.ErrorCodeIPNotAvailable,
	} {
		_, _, err := client.Server.AttachToNetwork(ctx, second, attachment(network, ip))
		refused(t, err, code)
	}
}

func TestAliasAddresses(t *testing.T) {
	network, server := home(t), lentServer(t)
	waiting(t).done(client.Server.AttachToNetwork(ctx, server, attachment(network, "10.0.1.20", "10.0.1.21")))
	change := hcloud.ServerChangeAliasIPsOpts{Network: network, AliasIPs: []net.IP{net.ParseIP("10.0.1.22")}}
	waiting(t).done(client.Server.ChangeAliasIPs(ctx, server, change))
	aliases := serverNow(t, server).PrivateNetFor(network).Aliases
	equal(t, len(aliases), 1)
	equal(t, aliases[0].String(), "10.0.1.22")
}

func TestServerIsAttachedOnceAndToNetworksThatDoNotOverlap(t *testing.T) {
	network, server := home(t), lentServer(t)
	wider := newNetwork(t, "10.0.0.0/8", subnet(t, "10.9.0.0/24"))
	waiting(t).done(client.Server.AttachToNetwork(ctx, server, attachment(network, "")))
	_, _, err := client.Server.AttachToNetwork(ctx, server, attachment(network, ""))
	refused(t, err, hcloud.ErrorCodeServerAlreadyAttached)
	_, _, err = client.Server.AttachToNetwork(ctx, server, attachment(wider, ""))
	refused(t, err, hcloud.ErrorCodeNetworksOverlap)
}

func TestServerNeedsSubnetInItsZone(t *testing.T) {
	foreign := subnet(t, "10.0.1.0/24")
	foreign.NetworkZone = foreignZone(t)
	for _, network := range []*hcloud.Network{newNetwork(t, "10.0.0.0/16"), newNetwork(t, "10.0.0.0/16", foreign)} {
		_, _, err := client.Server.AttachToNetwork(ctx, lentServer(t), attachment(network, ""))
		refused(t, err, hcloud.ErrorCodeNoSubnetAvailable)
	}
}

func TestSubnetWithServerStays(t *testing.T) {
	network, server := home(t), lentServer(t)
	waiting(t).done(client.Server.AttachToNetwork(ctx, server, attachment(network, "10.0.1.20")))
	drop := hcloud.NetworkDeleteSubnetOpts{Subnet: subnet(t, "10.0.1.0/24")}
	_, _, err := client.Network.DeleteSubnet(ctx, network, drop)
	refused(t, err, hcloud.ErrorCodeServiceError)
	detach := hcloud.ServerDetachFromNetworkOpts{Network: network}
	waiting(t).done(client.Server.DetachFromNetwork(ctx, server, detach))
	waiting(t).done(client.Network.DeleteSubnet(ctx, network, drop))
}

func TestDeletedNetworkDetachesItsServers(t *testing.T) {
	network, server := home(t), lentServer(t)
	waiting(t).done(client.Server.AttachToNetwork(ctx, server, attachment(network, "")))
	protection := hcloud.NetworkChangeProtectionOpts{Delete: hcloud.Ptr(true)}
	waiting(t).done(client.Network.ChangeProtection(ctx, network, protection))
	_, err := client.Network.Delete(ctx, network)
	refused(t, err, hcloud.ErrorCodeProtected)
	protection.Delete = hcloud.Ptr(false)
	waiting(t).done(client.Network.ChangeProtection(ctx, network, protection))
	_, err = client.Network.Delete(ctx, network)
	allowed(t, err)
	equal(t, len(serverNow(t, server).PrivateNet), 0)
}
