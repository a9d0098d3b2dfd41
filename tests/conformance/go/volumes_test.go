package conformance

import (
	"fmt"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

func TestVolumeHasItsDevicePath(t *testing.T) {
	volume := newVolume(t, currentOffer(t).location)
	equal(t, volume.LinuxDevice, fmt.Sprintf("/dev/disk/by-id/scsi-0HC_Volume_%d", volume.ID))
	equal(t, volume.Status, hcloud.VolumeStatusAvailable)
	equal(t, volume.Size, smallestVolumeGB)
	equal(t, volume.Location.Name, currentOffer(t).location.Name)
	if volume.Server != nil || volume.Format != nil {
		t.Errorf("a new volume is at %v with the format %v", volume.Server, volume.Format)
	}
}

func TestVolumeIsMadeWithFormat(t *testing.T) {
	volume, err := placeVolume(t, hcloud.VolumeCreateOpts{
		Name:     newName("volume"),
		Size:     smallestVolumeGB,
		Location: currentOffer(t).location,
		Format:   hcloud.Ptr(hcloud.VolumeFormatExt4),
		Labels:   marked(nil),
	})
	allowed(t, err)
	equal(t, *volume.Format, hcloud.VolumeFormatExt4)
}

func TestBadVolume(t *testing.T) {
	taken := newVolume(t, currentOffer(t).location)
	opts := hcloud.VolumeCreateOpts{Location: currentOffer(t).location, Labels: marked(nil)}
	for _, size := range []int{9, 10241} {
		opts.Name, opts.Size = newName("volume"), size
		_, err := placeVolume(t, opts)
		refused(t, err, hcloud.ErrorCodeInvalidInput)
	}
	opts.Name, opts.Size = taken.Name, smallestVolumeGB
	_, err := placeVolume(t, opts)
	refused(t, err, hcloud.ErrorCodeUniquenessError)
}

func TestVolumeIsAtOneServer(t *testing.T) {
	volume, first, second := newVolume(t, currentOffer(t).location), lentServer(t), neighbour(t)
	waiting(t).done(client.Volume.Attach(ctx, volume, first))
	equal(t, volumeNow(t, volume).Server.ID, first.ID)
	equal(t, len(serverNow(t, first).Volumes), 1)
	_, _, err := client.Volume.Attach(ctx, volume, second)
	refused(t, err, hcloud.ErrorCodeVolumeAlreadyAttached)
	_, err = client.Volume.Delete(ctx, volume)
	refused(t, err, hcloud.ErrorCodeResourceInUse)
	waiting(t).done(client.Volume.Detach(ctx, volume))
	waiting(t).done(client.Volume.Attach(ctx, volume, second))
	equal(t, volumeNow(t, volume).Server.ID, second.ID)
}

func TestVolumeIsInLocationOfItsServer(t *testing.T) {
	far := newVolume(t, currentOffer(t).elsewhere)
	_, _, err := client.Volume.Attach(ctx, far, lentServer(t))
	refused(t, err, hcloud.ErrorCodeInvalidInput)
	server := lentServer(t)
	near, err := placeVolume(t, hcloud.VolumeCreateOpts{
		Name: newName("volume"), Size: smallestVolumeGB, Server: server, Labels: marked(nil),
	})
	allowed(t, err)
	equal(t, near.Server.ID, server.ID)
	equal(t, near.Location.Name, server.Location.Name)
}

func TestVolumeOnlyGrows(t *testing.T) {
	volume := newVolume(t, currentOffer(t).location)
	waiting(t).done(client.Volume.Resize(ctx, volume, smallestVolumeGB+1))
	equal(t, volumeNow(t, volume).Size, smallestVolumeGB+1)
	_, _, err := client.Volume.Resize(ctx, volume, smallestVolumeGB)
	refused(t, err, hcloud.ErrorCodeInvalidInput)
}

func TestProtectedVolumeIsNotDeleted(t *testing.T) {
	volume := newVolume(t, currentOffer(t).location)
	protection := hcloud.VolumeChangeProtectionOpts{Delete: hcloud.Ptr(true)}
	waiting(t).done(client.Volume.ChangeProtection(ctx, volume, protection))
	_, err := client.Volume.Delete(ctx, volume)
	refused(t, err, hcloud.ErrorCodeProtected)
}
