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

func removeServer(server *hcloud.Server) error {
	return patiently(func() error {
		now, _, err := client.Server.GetByID(ctx, server.ID)
		if err != nil || now == nil {
			return err
		}
		if err := unprotectServer(now); err != nil {
			return err
		}
		deleted, _, err := client.Server.DeleteWithResult(ctx, now)
		if err != nil {
			return err
		}
		return client.Action.WaitFor(ctx, deleted.Action)
	})
}

func unprotectServer(server *hcloud.Server) error {
	if !server.Protection.Delete {
		return nil
	}
	open := hcloud.ServerChangeProtectionOpts{Delete: hcloud.Ptr(false), Rebuild: hcloud.Ptr(false)}
	return ended(client.Server.ChangeProtection(ctx, server, open))
}

func removeVolume(volume *hcloud.Volume) error {
	return patiently(func() error {
		now, _, err := client.Volume.GetByID(ctx, volume.ID)
		if err != nil || now == nil {
			return err
		}
		if now.Protection.Delete {
			open := hcloud.VolumeChangeProtectionOpts{Delete: hcloud.Ptr(false)}
			if err := ended(client.Volume.ChangeProtection(ctx, now, open)); err != nil {
				return err
			}
		}
		if now.Server != nil {
			if err := ended(client.Volume.Detach(ctx, now)); err != nil {
				return err
			}
		}
		_, err = client.Volume.Delete(ctx, now)
		return err
	})
}

func removeNetwork(network *hcloud.Network) error {
	return patiently(func() error {
		now, _, err := client.Network.GetByID(ctx, network.ID)
		if err != nil || now == nil {
			return err
		}
		if now.Protection.Delete {
			open := hcloud.NetworkChangeProtectionOpts{Delete: hcloud.Ptr(false)}
			if err := ended(client.Network.ChangeProtection(ctx, now, open)); err != nil {
				return err
			}
		}
		_, err = client.Network.Delete(ctx, now)
		return err
	})
}

func removeFirewall(firewall *hcloud.Firewall) error {
	return patiently(func() error {
		now, _, err := client.Firewall.GetByID(ctx, firewall.ID)
		if err != nil || now == nil {
			return err
		}
		if len(now.AppliedTo) > 0 {
			actions, _, err := client.Firewall.RemoveResources(ctx, now, now.AppliedTo)
			if err != nil {
				return err
			}
			if err := client.Action.WaitFor(ctx, actions...); err != nil {
				return err
			}
		}
		_, err = client.Firewall.Delete(ctx, now)
		return err
	})
}

func removePlacementGroup(group *hcloud.PlacementGroup) error {
	return patiently(func() error {
		_, err := client.PlacementGroup.Delete(ctx, group)
		return err
	})
}

func removePrimaryIP(address *hcloud.PrimaryIP) error {
	return patiently(func() error {
		_, err := client.PrimaryIP.Delete(ctx, address)
		return err
	})
}

func removeSSHKey(key *hcloud.SSHKey) error {
	return patiently(func() error {
		_, err := client.SSHKey.Delete(ctx, key)
		return err
	})
}

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
