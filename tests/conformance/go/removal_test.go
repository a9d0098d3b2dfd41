package conformance

import (
	"context"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// What the API says for a moment after a server went; the client itself tries again after a conflict.
var passing = []hcloud.ErrorCode{hcloud.ErrorCodeLocked, hcloud.ErrorCodeResourceInUse, "must_be_unassigned"}

const removalTries = 20

// patiently deletes a thing; fine when it is gone already.
func patiently(remove func() error) error {
	for attempt := 1; ; attempt++ {
		err := remove()
		if hcloud.IsError(err, hcloud.ErrorCodeNotFound) {
			return nil
		}
		if attempt == removalTries || !hcloud.IsError(err, passing...) {
			return err
		}
		time.Sleep(time.Second)
	}
}

// removeThing looks a thing up, frees it of what keeps it, and deletes it.
func removeThing[T any](
	id int64,
	get func(context.Context, int64) (*T, *hcloud.Response, error),
	free func(*T) error,
	remove func(context.Context, *T) (*hcloud.Response, error),
) error {
	return patiently(func() error {
		now, _, err := get(ctx, id)
		if err != nil || now == nil {
			return err
		}
		if err := free(now); err != nil {
			return err
		}
		_, err = remove(ctx, now)
		return err
	})
}

func removeServer(server *hcloud.Server) error {
	return removeThing(server.ID, client.Server.GetByID, unprotectServer, deleteServer)
}

// deleteServer also waits: what the server held is free only when the action has ended.
func deleteServer(ctx context.Context, server *hcloud.Server) (*hcloud.Response, error) {
	deleted, response, err := client.Server.DeleteWithResult(ctx, server)
	if err != nil {
		return response, err
	}
	return response, client.Action.WaitFor(ctx, deleted.Action)
}

func unprotectServer(server *hcloud.Server) error {
	if !server.Protection.Delete {
		return nil
	}
	open := hcloud.ServerChangeProtectionOpts{Delete: hcloud.Ptr(false), Rebuild: hcloud.Ptr(false)}
	return ended(client.Server.ChangeProtection(ctx, server, open))
}

func removeVolume(volume *hcloud.Volume) error {
	return removeThing(volume.ID, client.Volume.GetByID, freeVolume, client.Volume.Delete)
}

func freeVolume(volume *hcloud.Volume) error {
	if volume.Protection.Delete {
		open := hcloud.VolumeChangeProtectionOpts{Delete: hcloud.Ptr(false)}
		if err := ended(client.Volume.ChangeProtection(ctx, volume, open)); err != nil {
			return err
		}
	}
	if volume.Server == nil {
		return nil
	}
	return ended(client.Volume.Detach(ctx, volume))
}

func removeNetwork(network *hcloud.Network) error {
	return removeThing(network.ID, client.Network.GetByID, unprotectNetwork, client.Network.Delete)
}

func unprotectNetwork(network *hcloud.Network) error {
	if !network.Protection.Delete {
		return nil
	}
	open := hcloud.NetworkChangeProtectionOpts{Delete: hcloud.Ptr(false)}
	return ended(client.Network.ChangeProtection(ctx, network, open))
}

func removeFirewall(firewall *hcloud.Firewall) error {
	return removeThing(firewall.ID, client.Firewall.GetByID, takeFirewallOff, client.Firewall.Delete)
}

func takeFirewallOff(firewall *hcloud.Firewall) error {
	if len(firewall.AppliedTo) == 0 {
		return nil
	}
	actions, _, err := client.Firewall.RemoveResources(ctx, firewall, firewall.AppliedTo)
	if err != nil {
		return err
	}
	return client.Action.WaitFor(ctx, actions...)
}

func removePlacementGroup(group *hcloud.PlacementGroup) error {
	return removeThing(group.ID, client.PlacementGroup.GetByID, nothingKeeps, client.PlacementGroup.Delete)
}

func removePrimaryIP(address *hcloud.PrimaryIP) error {
	return removeThing(address.ID, client.PrimaryIP.GetByID, nothingKeeps, client.PrimaryIP.Delete)
}

func removeSSHKey(key *hcloud.SSHKey) error {
	return removeThing(key.ID, client.SSHKey.GetByID, nothingKeeps, client.SSHKey.Delete)
}

func nothingKeeps[T any](*T) error { return nil }

func ended(action *hcloud.Action, _ *hcloud.Response, err error) error {
	if err != nil {
		return err
	}
	return client.Action.WaitFor(ctx, action)
}

// removeMarked removes everything with these labels, servers first: they hold the rest. It says what that was.
func removeMarked(selector string) ([]string, error) {
	list := hcloud.ListOpts{LabelSelector: selector}
	var removed []string
	for _, step := range []func() ([]string, error){
		sweep(client.Server.AllWithOpts, hcloud.ServerListOpts{ListOpts: list}, removeServer,
			func(s *hcloud.Server) string { return s.Name }),
		sweep(client.Volume.AllWithOpts, hcloud.VolumeListOpts{ListOpts: list}, removeVolume,
			func(v *hcloud.Volume) string { return v.Name }),
		sweep(client.Firewall.AllWithOpts, hcloud.FirewallListOpts{ListOpts: list}, removeFirewall,
			func(f *hcloud.Firewall) string { return f.Name }),
		sweep(client.Network.AllWithOpts, hcloud.NetworkListOpts{ListOpts: list}, removeNetwork,
			func(n *hcloud.Network) string { return n.Name }),
		sweep(client.PrimaryIP.AllWithOpts, hcloud.PrimaryIPListOpts{ListOpts: list}, removePrimaryIP,
			func(p *hcloud.PrimaryIP) string { return p.Name }),
		sweep(client.PlacementGroup.AllWithOpts, hcloud.PlacementGroupListOpts{ListOpts: list}, removePlacementGroup,
			func(g *hcloud.PlacementGroup) string { return g.Name }),
		sweep(client.SSHKey.AllWithOpts, hcloud.SSHKeyListOpts{ListOpts: list}, removeSSHKey,
			func(k *hcloud.SSHKey) string { return k.Name }),
	} {
		names, err := step()
		removed = append(removed, names...)
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// sweep is one step of removeMarked: all things of a kind.
func sweep[T, Opts any](
	all func(context.Context, Opts) ([]T, error), opts Opts, remove func(T) error, name func(T) string,
) func() ([]string, error) {
	return func() ([]string, error) {
		things, err := all(ctx, opts)
		if err != nil {
			return nil, err
		}
		var removed []string
		for _, thing := range things {
			if err := remove(thing); err != nil {
				return removed, err
			}
			removed = append(removed, name(thing))
		}
		return removed, nil
	}
}
