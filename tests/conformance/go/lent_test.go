package conformance

import (
	"errors"
	"sync"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// A server is paid for by the hour and takes a while to make, so two are made once and lent to the tests. Whatever a
// test does with a lent server is undone.
var (
	lendFirst  = sync.OnceValues(newLentServer)
	lendSecond = sync.OnceValues(newLentServer)

	lent []*hcloud.Server
)

// lentServer is a running server that is attached to nothing.
func lentServer(t *testing.T) *hcloud.Server {
	t.Helper()
	return lend(t, lendFirst)
}

// neighbour is another one, in the same location.
func neighbour(t *testing.T) *hcloud.Server {
	t.Helper()
	return lend(t, lendSecond)
}

func lend(t *testing.T, make func() (*hcloud.Server, error)) *hcloud.Server {
	t.Helper()
	server, err := make()
	allowed(t, err)
	t.Cleanup(func() { restore(t, server) })
	return serverNow(t, server)
}

func newLentServer() (*hcloud.Server, error) {
	now, err := lookUpOffer()
	if err != nil {
		return nil, err
	}
	made, _, err := client.Server.Create(ctx, hcloud.ServerCreateOpts{
		Name:       newName("lent"),
		ServerType: now.serverType,
		Image:      now.image,
		Location:   now.location,
		Labels:     marked(nil),
	})
	if err != nil {
		return nil, err
	}
	lent = append(lent, made.Server)
	return made.Server, client.Action.WaitFor(ctx, append(made.NextActions, made.Action)...)
}

func removeLentServers() error {
	var failed []error
	for _, server := range lent {
		failed = append(failed, removeServer(server))
	}
	return errors.Join(failed...)
}

// restore makes a lent server as it was: on, free, not protected. Its name and labels stay.
func restore(t *testing.T, server *hcloud.Server) {
	t.Helper()
	now := serverNow(t, server)
	if now.Status != hcloud.ServerStatusRunning {
		if now.PlacementGroup != nil {
			waiting(t).done(client.Server.RemoveFromPlacementGroup(ctx, now))
		}
		waiting(t).done(client.Server.Poweron(ctx, now))
	}
	allowed(t, unprotectServer(now))
	for _, net := range now.PrivateNet {
		waiting(t).done(
			client.Server.DetachFromNetwork(ctx, now, hcloud.ServerDetachFromNetworkOpts{Network: net.Network}),
		)
	}
	for _, volume := range now.Volumes {
		waiting(t).done(client.Volume.Detach(ctx, volume))
	}
}
