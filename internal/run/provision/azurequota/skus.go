package azurequota

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// SKU is what Azure says of a size of machine in a region.
type SKU struct {
	Name   string
	Meter  string   // that its cores count against, beside the region's own
	Cores  int      // of a machine; 0: not said
	Zones  []string // in which it may be made
	Barred string   // why this subscription may not have it there; "": it may
}

// keptSKUs is how long Azure's word of a region is kept: it is long, and seldom changes.
const keptSKUs = time.Hour

// SKUs knows what sizes of machines count against.
type SKUs struct {
	who       azcore.TokenCredential
	transport policy.Transporter
	now       func() time.Time

	mu   sync.Mutex
	kept map[string]regionSKUs // by subscription and region
}

type regionSKUs struct {
	at   time.Time
	list map[string]SKU // by name, in lower case
}

// NewSKUs asks in the name of an identity. A transport takes the place of the network; nil: none does.
func NewSKUs(who azcore.TokenCredential, transport policy.Transporter, now func() time.Time) *SKUs {
	return &SKUs{who: who, transport: transport, now: now, kept: map[string]regionSKUs{}}
}

// Find finds a size of machine; false: the region does not offer it.
func (s *SKUs) Find(ctx context.Context, subscription, region, name string) (SKU, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := subscription + "/" + region
	is := s.kept[at]
	if is.list == nil || s.now().Sub(is.at) >= keptSKUs {
		list, err := s.read(ctx, subscription, region)
		if err != nil {
			return SKU{}, false, err
		}
		is = regionSKUs{s.now(), list}
		s.kept[at] = is
	}
	sku, found := is.list[strings.ToLower(name)]
	return sku, found, nil
}

// read reads all sizes of machines of a region, all pages or none.
func (s *SKUs) read(ctx context.Context, subscription, region string) (map[string]SKU, error) {
	c, err := armcompute.NewResourceSKUsClient(subscription, s.who, &arm.ClientOptions{
		ClientOptions: policy.ClientOptions{Transport: s.transport, Retry: policy.RetryOptions{MaxRetries: -1}},
	})
	if err != nil {
		return nil, fmt.Errorf("azure: %w", err)
	}
	list := map[string]SKU{}
	o := armcompute.ResourceSKUsClientListOptions{Filter: to.Ptr("location eq '" + strings.ReplaceAll(region, "'", "''") + "'")}
	for pager := c.NewListPager(&o); pager.More(); {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return nil, refusal(subscription, region, err)
		}
		for _, one := range page.Value {
			if is, ok := skuOf(one, region); ok {
				list[strings.ToLower(is.Name)] = is
			}
		}
	}
	return list, nil
}

// skuOf reads one entry; false: it is no machine of the region.
func skuOf(of *armcompute.ResourceSKU, region string) (is SKU, _ bool) {
	if of == nil || of.Name == nil || of.ResourceType == nil || !strings.EqualFold(*of.ResourceType, "virtualMachines") || !has(of.Locations, region) {
		return is, false
	}
	is.Name = *of.Name
	if of.Family != nil {
		is.Meter = *of.Family
	}
	for _, c := range of.Capabilities {
		if c != nil && c.Name != nil && c.Value != nil && strings.EqualFold(*c.Name, "vCPUs") {
			is.Cores, _ = strconv.Atoi(*c.Value) // no number says no cores
		}
	}
	for _, l := range of.LocationInfo {
		if l != nil && l.Location != nil && strings.EqualFold(*l.Location, region) {
			is.Zones = texts(l.Zones)
		}
	}
	for _, r := range of.Restrictions {
		is.bar(r, region)
	}
	return is, true
}

// bar takes away what a restriction takes away.
func (is *SKU) bar(r *armcompute.ResourceSKURestrictions, region string) {
	if r == nil || r.Type == nil {
		return
	}
	switch *r.Type {
	case armcompute.ResourceSKURestrictionsTypeLocation:
		if is.Barred = "restricted"; r.ReasonCode != nil && has(r.Values, region) {
			is.Barred = string(*r.ReasonCode)
		}
	case armcompute.ResourceSKURestrictionsTypeZone:
		if r.RestrictionInfo != nil {
			barred := texts(r.RestrictionInfo.Zones)
			is.Zones = slices.DeleteFunc(is.Zones, func(z string) bool { return slices.Contains(barred, z) })
		}
	}
}

func has(list []*string, text string) bool {
	return slices.ContainsFunc(list, func(x *string) bool { return x != nil && strings.EqualFold(*x, text) })
}

func texts(list []*string) (out []string) {
	for _, x := range list {
		if x != nil {
			out = append(out, *x)
		}
	}
	slices.Sort(out)
	return out
}

// Metered is an outside that builds nothing on cores that were not reserved: it asks first what
// the record's size of machine counts against.
type Metered struct {
	provision.Outside
	SKUs *SKUs
}

// Begin begins an operation. One that builds machines must be such that the blueprint's meters count them.
func (m Metered) Begin(ctx context.Context, o provision.Order) (provision.Report, error) {
	if o.Step == fleet.StepPipeline || o.Step == fleet.StepScaleSets {
		if err := m.SKUs.fits(ctx, &o); err != nil {
			return provision.Report{}, err
		}
	}
	return m.Outside.Begin(ctx, o)
}

// CheckedIn asks the outside, where it can see it.
func (m Metered) CheckedIn(ctx context.Context, s provision.Subject) (string, error) {
	if c, can := m.Outside.(provision.Checker); can {
		return c.CheckedIn(ctx, s)
	}
	return "", nil
}

// zoneWord is the variable of a record that names the zone of its machines.
const zoneWord = "zone"

// fits says why a record cannot be built by its blueprint as Azure counts it.
func (s *SKUs) fits(ctx context.Context, o *provision.Order) error {
	r := &o.Record
	if r.SKU == "" {
		return fix(fleet.ErrorFix, "the record of cluster %s names no SKU; write the size of its machines, as Azure calls it: `muster cluster change %[1]s --sku SKU`", r.Name)
	}
	is, found, err := s.Find(ctx, r.Subscription, r.Region, r.SKU)
	if err != nil {
		return err
	}
	zone := r.Variables[zoneWord]
	switch {
	case !found:
		return fix(fleet.ErrorFix, "azure offers no SKU %s in %s; give cluster %s one that it offers: `muster cluster change %[3]s --sku SKU`", r.SKU, r.Region, r.Name)
	case is.Barred != "":
		return fix(fleet.ErrorPerson, "subscription %s may not have SKU %s in %s (%s); ask Azure's support for it, or give cluster %s another: `muster cluster change %[5]s --sku SKU`", r.Subscription, is.Name, r.Region, is.Barred, r.Name)
	case zone != "" && !slices.Contains(is.Zones, zone):
		return fix(fleet.ErrorFix, "SKU %s is not to be had in zone %s of %s, but in the zones %s; change the variable %s of cluster %s", is.Name, zone, r.Region, strings.Join(is.Zones, ", "), zoneWord, r.Name)
	case is.Meter == "":
		return fix(fleet.ErrorFix, "azure names no meter for SKU %s in %s; its cores cannot be counted, so give cluster %s another: `muster cluster change %[3]s --sku SKU`", is.Name, r.Region, r.Name)
	}
	return s.counted(o, is)
}

// counted says whether a blueprint reserves what a machine takes.
func (s *SKUs) counted(o *provision.Order, is SKU) error {
	b := &o.Blueprint
	for _, m := range b.Meters {
		switch {
		case !strings.EqualFold(m.Meter, is.Meter):
		case m.PerNode < is.Cores:
			return fix(fleet.ErrorFix, "a machine of SKU %s takes %d cores of meter %s, and blueprint %s version %d reserves %d; add a version that reserves them, then `muster cluster version %s VERSION`",
				is.Name, is.Cores, is.Meter, b.Name, b.Version, m.PerNode, o.Record.Name)
		default:
			return nil
		}
	}
	return fix(fleet.ErrorFix, "SKU %s counts against meter %s, which blueprint %s version %d does not name; add a version with {meter: %s, perNode: %d}, then `muster cluster version %s VERSION`",
		is.Name, is.Meter, b.Name, b.Version, is.Meter, is.Cores, o.Record.Name)
}

func fix(class fleet.ErrorClass, format string, args ...any) error {
	return &provision.Refused{Class: class, Err: fmt.Errorf(format, args...)}
}
