package conformance

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

const userDataLimitBytes = 32 * 1024

// refusedField fails the test unless the API refused because of this field of the body.
func refusedField(t *testing.T, err error, field string) {
	t.Helper()
	refused(t, err, hcloud.ErrorCodeInvalidInput)
	var refusal hcloud.Error
	errors.As(err, &refusal)
	details, ok := refusal.Details.(hcloud.ErrorDetailsInvalidInput)
	if !ok || len(details.Fields) != 1 || details.Fields[0].Name != field {
		t.Fatalf("the refusal names %v, want the field %s", refusal.Details, field)
	}
}

func TestOrderIsCarriedOutByItsActions(t *testing.T) {
	opts := order(t)
	opts.UserData = strings.Repeat("x", userDataLimitBytes)
	made, err := place(t, opts)
	allowed(t, err)
	equal(t, made.Action.Command, "create_server")
	equal(t, made.Action.Status, hcloud.ActionStatusRunning)
	equal(t, len(made.NextActions), 1)
	equal(t, made.NextActions[0].Command, "start_server")
	equal(t, made.Server.Status, hcloud.ServerStatusInitializing)
	if made.RootPassword == "" {
		t.Error("a server without a key has a password")
	}
	var last []int
	allowed(t, client.Action.WaitForFunc(ctx, func(update *hcloud.Action) error {
		if update.ID == made.Action.ID {
			last = append(last, update.Progress)
		}
		return update.Error()
	}, made.Action, made.NextActions[0]))
	if !slices.IsSorted(last) || last[len(last)-1] != 100 {
		t.Errorf("the progress was %v, which does not grow to 100", last)
	}
	server := serverNow(t, made.Server)
	equal(t, server.Status, hcloud.ServerStatusRunning)
	equal(t, server.Location.Name, opts.Location.Name)
	equal(t, server.ServerType.ID, opts.ServerType.ID)
	equal(t, server.Image.ID, opts.Image.ID)
	equal(t, server.Labels[runLabel], run)
	equal(t, server.PrimaryDiskSize, opts.ServerType.Disk)
	if server.Created.IsZero() || server.PublicNet.IPv4.IsUnspecified() || server.PublicNet.IPv6.IsUnspecified() {
		t.Errorf("the server has no date or no addresses: %+v", server)
	}
	ones, bits := server.PublicNet.IPv6.Network.Mask.Size()
	equal(t, [2]int{ones, bits}, [2]int{64, 128})
}

func TestServerNameIsUniqueHostname(t *testing.T) {
	opts := order(t)
	opts.Name = lentServer(t).Name
	_, err := place(t, opts)
	refused(t, err, hcloud.ErrorCodeUniquenessError)
	opts.Name = "under_score"
	_, err = place(t, opts)
	refusedField(t, err, "name")
}

func TestUserDataLimitCountsBytes(t *testing.T) {
	opts := order(t)
	for _, text := range []string{
		strings.Repeat("x", userDataLimitBytes+1), strings.Repeat("é", userDataLimitBytes/2+1),
	} {
		opts.UserData = text
		_, err := place(t, opts)
		refusedField(t, err, "user_data")
	}
}

func TestTypeIsNotOfferedEverywhere(t *testing.T) {
	opts := order(t)
	locations, err := client.Location.All(ctx)
	allowed(t, err)
	types, err := client.ServerType.All(ctx)
	allowed(t, err)
	for _, serverType := range types {
		for _, location := range locations {
			offered := slices.ContainsFunc(serverType.Locations, func(entry hcloud.ServerTypeLocation) bool {
				return entry.Location.ID == location.ID
			})
			if !offered && serverType.Architecture == opts.ServerType.Architecture {
				opts.ServerType, opts.Location = serverType, location
				_, err := place(t, opts)
				refused(t, err, hcloud.ErrorCodeInvalidInput)
				return
			}
		}
	}
	t.Fatal("every type is offered everywhere")
}

func TestServerWithPrivateNetOnly(t *testing.T) {
	opts := order(t)
	opts.PublicNet = &hcloud.ServerCreatePublicNet{}
	_, err := place(t, opts)
	refused(t, err, hcloud.ErrorCodeInvalidInput)
	network := newNetwork(t, "10.0.0.0/16", subnet(t, "10.0.1.0/24"))
	opts.Networks = []*hcloud.Network{network}
	server := newServer(t, opts)
	if !server.PublicNet.IPv4.IsUnspecified() || !server.PublicNet.IPv6.IsUnspecified() {
		t.Errorf("the server has public addresses: %+v", server.PublicNet)
	}
	attached := server.PrivateNetFor(network)
	if attached == nil || !cidr(t, "10.0.1.0/24").Contains(attached.IP) {
		t.Errorf("the server is at %+v", server.PrivateNet)
	}
}
