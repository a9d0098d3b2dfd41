package conformance

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// groups are four things that cost nothing, told apart by their labels.
func groups(t *testing.T) map[string]*hcloud.PlacementGroup {
	t.Helper()
	return map[string]*hcloud.PlacementGroup{
		"a": newPlacementGroup(t, map[string]string{"role": "agent", "zone": "x"}),
		"b": newPlacementGroup(t, map[string]string{"role": "agent", "zone": "y"}),
		"c": newPlacementGroup(t, map[string]string{"role": "cp"}),
		"d": newPlacementGroup(t, nil),
	}
}

func listMine(selector string) hcloud.PlacementGroupListOpts {
	mine := runLabel + "=" + run
	if selector != "" {
		mine += "," + selector
	}
	return hcloud.PlacementGroupListOpts{ListOpts: hcloud.ListOpts{LabelSelector: mine}}
}

func TestPages(t *testing.T) {
	groups(t)
	opts := listMine("")
	opts.PerPage = 3
	first, response, err := client.PlacementGroup.List(ctx, opts)
	allowed(t, err)
	equal(t, len(first), 3)
	equal(t, *response.Meta.Pagination, hcloud.Pagination{
		Page: 1, PerPage: 3, NextPage: 2, LastPage: 2, TotalEntries: 4,
	})
	all, err := client.PlacementGroup.AllWithOpts(ctx, opts)
	allowed(t, err)
	equal(t, len(all), 4)
	opts.PerPage = 51
	_, _, err = client.PlacementGroup.List(ctx, opts)
	refused(t, err, hcloud.ErrorCodeInvalidInput)
}

func TestSorting(t *testing.T) {
	groups(t)
	for _, direction := range []string{"asc", "desc"} {
		opts := listMine("")
		opts.Sort = []string{"id:" + direction}
		all, err := client.PlacementGroup.AllWithOpts(ctx, opts)
		allowed(t, err)
		ids := make([]int64, 0, len(all))
		for _, group := range all {
			ids = append(ids, group.ID)
		}
		if direction == "desc" {
			slices.Reverse(ids)
		}
		if len(ids) != 4 || !slices.IsSorted(ids) {
			t.Errorf("sorted by id:%s: %v", direction, ids)
		}
	}
}

func TestLabelSelectors(t *testing.T) {
	mine := groups(t)
	for selector, letters := range map[string]string{
		"role=agent":         "ab",
		"role==agent,zone=x": "a",
		"role!=agent":        "cd",
		"role":               "abc",
		"!role":              "d",
		"zone in (x, y)":     "ab",
		"zone notin (x)":     "bcd",
	} {
		found, err := client.PlacementGroup.AllWithOpts(ctx, listMine(selector))
		allowed(t, err)
		var got []string
		for letter, group := range mine {
			if slices.ContainsFunc(found, func(one *hcloud.PlacementGroup) bool { return one.ID == group.ID }) {
				got = append(got, letter)
			}
		}
		slices.Sort(got)
		if strings.Join(got, "") != letters || len(found) != len(letters) {
			t.Errorf("%s found %v, want %s", selector, got, letters)
		}
	}
	_, err := client.PlacementGroup.AllWithOpts(ctx, listMine("version=v1+k3s1"))
	refused(t, err, hcloud.ErrorCodeInvalidInput)
}

func TestBadLabels(t *testing.T) {
	for key, value := range map[string]string{
		"version": "v1+k3s1", "-x": "y", "a": strings.Repeat("b", 64), "hetzner.cloud/x": "y",
	} {
		_, _, err := client.PlacementGroup.Create(ctx, hcloud.PlacementGroupCreateOpts{
			Name: newName("group"), Type: hcloud.PlacementGroupTypeSpread, Labels: marked(map[string]string{key: value}),
		})
		refused(t, err, hcloud.ErrorCodeInvalidInput)
	}
}

func TestImagesOfOneArchitecture(t *testing.T) {
	architecture := currentOffer(t).serverType.Architecture
	images, err := client.Image.AllWithOpts(ctx, hcloud.ImageListOpts{
		Type: []hcloud.ImageType{hcloud.ImageTypeSystem}, Architecture: []hcloud.Architecture{architecture},
	})
	allowed(t, err)
	if len(images) == 0 {
		t.Fatal("there are no images")
	}
	for _, image := range images {
		equal(t, image.Architecture, architecture)
	}
	name := currentOffer(t).image.Name
	found, _, err := client.Image.GetForArchitecture(ctx, name, architecture)
	allowed(t, err)
	equal(t, found.Name, name)
	none, err := client.Image.AllWithOpts(ctx, hcloud.ImageListOpts{
		ListOpts: hcloud.ListOpts{LabelSelector: runLabel + "=" + run},
	})
	allowed(t, err)
	equal(t, len(none), 0)
}

func TestServerTypesAndTheirDeprecations(t *testing.T) {
	types, err := client.ServerType.All(ctx)
	allowed(t, err)
	deprecated := 0
	for _, serverType := range types {
		for _, place := range serverType.Locations {
			if place.IsDeprecated() {
				deprecated++
				if !place.UnavailableAfter().After(place.DeprecationAnnounced()) {
					t.Errorf("%s goes from %s before that is announced", serverType.Name, place.Location.Name)
				}
			}
			if place.Recommended && !place.Available {
				t.Errorf("%s is recommended in %s, where it cannot be had", serverType.Name, place.Location.Name)
			}
		}
		for _, price := range serverType.Pricings {
			net, err := strconv.ParseFloat(price.Monthly.Net, 64)
			if err != nil || net <= 0 || price.IncludedTraffic == 0 {
				t.Errorf("%s costs %s in %s", serverType.Name, price.Monthly.Net, price.Location.Name)
			}
		}
	}
	t.Logf("%d server types, %d times deprecated in a location", len(types), deprecated)
	found, _, err := client.ServerType.Get(ctx, currentOffer(t).serverType.Name)
	allowed(t, err)
	equal(t, found.ID, currentOffer(t).serverType.ID)
}

func TestPricing(t *testing.T) {
	pricing, _, err := client.Pricing.Get(ctx)
	allowed(t, err)
	equal(t, len(pricing.Currency), 3)
	for what, price := range map[string]string{
		"a volume": pricing.Volume.PerGBMonthly.Net, "an image": pricing.Image.PerGBMonth.Net,
	} {
		if net, err := strconv.ParseFloat(price, 64); err != nil || net <= 0 {
			t.Errorf("%s costs %q", what, price)
		}
	}
	kinds := map[string]bool{}
	for _, price := range pricing.PrimaryIPs {
		kinds[price.Type] = true
	}
	equal(t, kinds["ipv4"] && kinds["ipv6"], true)
}

func TestRateLimitIsInEveryAnswer(t *testing.T) {
	_, response, err := client.Location.List(ctx, hcloud.LocationListOpts{})
	allowed(t, err)
	limit := response.Meta.Ratelimit
	if limit.Limit <= 0 || limit.Remaining >= limit.Limit || limit.Reset.IsZero() {
		t.Errorf("the answer has the rate limit %+v", limit)
	}
}

func TestTokenThatIsNone(t *testing.T) {
	stranger := hcloud.NewClient(hcloud.WithEndpoint(os.Getenv("HCLOUD_ENDPOINT")), hcloud.WithToken("short"))
	_, err := stranger.Server.All(ctx)
	refused(t, err, hcloud.ErrorCodeUnauthorized)
}
