package conformance

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// An offer is the cheapest server that can be ordered at this moment, and what the tests need beside it.
type offer struct {
	serverType, larger  *hcloud.ServerType
	location, elsewhere *hcloud.Location
	image               *hcloud.Image
}

var lookUpOffer = sync.OnceValues(findOffer)

func currentOffer(t *testing.T) offer {
	t.Helper()
	found, err := lookUpOffer()
	allowed(t, err)
	return found
}

type pricedType struct {
	serverType *hcloud.ServerType
	location   *hcloud.Location
	monthly    float64
}

func findOffer() (offer, error) {
	locations, err := client.Location.All(ctx)
	if err != nil {
		return offer{}, err
	}
	offers, err := orderable(locations)
	if err != nil {
		return offer{}, err
	}
	wanted := os.Getenv("HCLOUD_SERVER_TYPE")
	for _, small := range offers {
		if wanted != "" && small.serverType.Name != wanted {
			continue
		}
		for _, large := range offers {
			if large.location != small.location || large.monthly <= small.monthly || !fits(small, large) {
				continue
			}
			image, err := systemImage(small.serverType)
			return offer{
				serverType: small.serverType,
				larger:     large.serverType,
				location:   small.location,
				elsewhere:  another(locations, small.location),
				image:      image,
			}, err
		}
	}
	return offer{}, errors.New("no such server type can be ordered at this moment for which there is also a larger one")
}

// orderable are the types with the locations in which they can be had, the cheapest first.
func orderable(locations []*hcloud.Location) ([]pricedType, error) {
	types, err := client.ServerType.All(ctx)
	if err != nil {
		return nil, err
	}
	var offers []pricedType
	for _, serverType := range types {
		for _, place := range serverType.Locations {
			if !place.Available || place.IsDeprecated() {
				continue
			}
			monthly, err := monthlyNet(serverType, place.Location.Name)
			if err != nil {
				return nil, err
			}
			// The locations of a server type come without their network zone.
			for _, location := range locations {
				if location.ID == place.Location.ID {
					offers = append(offers, pricedType{serverType, location, monthly})
				}
			}
		}
	}
	slices.SortStableFunc(offers, func(a, b pricedType) int { return cmp.Compare(a.monthly, b.monthly) })
	return offers, nil
}

func monthlyNet(serverType *hcloud.ServerType, location string) (float64, error) {
	for _, price := range serverType.Pricings {
		if price.Location.Name == location {
			return strconv.ParseFloat(price.Monthly.Net, 64)
		}
	}
	return 0, errors.New(serverType.Name + " has no price in " + location)
}

func fits(small, large pricedType) bool {
	return small.serverType.Architecture == large.serverType.Architecture &&
		small.serverType.Disk <= large.serverType.Disk
}

// another is a location that is not this one, in the same network zone where there is one.
func another(locations []*hcloud.Location, not *hcloud.Location) *hcloud.Location {
	var far *hcloud.Location
	for _, location := range locations {
		if location == not {
			continue
		}
		if location.NetworkZone == not.NetworkZone {
			return location
		}
		far = location
	}
	return far
}

func systemImage(serverType *hcloud.ServerType) (*hcloud.Image, error) {
	images, err := client.Image.AllWithOpts(ctx, hcloud.ImageListOpts{
		Type:         []hcloud.ImageType{hcloud.ImageTypeSystem},
		Architecture: []hcloud.Architecture{serverType.Architecture},
		Status:       []hcloud.ImageStatus{hcloud.ImageStatusAvailable},
		Sort:         []string{"created:desc"},
	})
	if err != nil {
		return nil, err
	}
	for _, image := range images {
		if image.OSFlavor == "debian" && int(image.DiskSize) <= serverType.Disk {
			return image, nil
		}
	}
	return nil, errors.New("there is no system image with Debian for " + string(serverType.Architecture))
}
