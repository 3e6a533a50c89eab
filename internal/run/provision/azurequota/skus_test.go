package azurequota_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	azfake "github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8/fake"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/azurequota"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

type skuPager = azfake.PagerResponder[armcompute.ResourceSKUsClientListResponse]

// size is a machine that eastus offers in three zones.
func size(name, family, cores string, edit ...func(*armcompute.ResourceSKU)) *armcompute.ResourceSKU {
	is := &armcompute.ResourceSKU{
		Name: to.Ptr(name), Family: to.Ptr(family), ResourceType: to.Ptr("virtualMachines"), Locations: to.SliceOfPtrs("EastUS"),
		Capabilities: []*armcompute.ResourceSKUCapabilities{{Name: to.Ptr("vCPUs"), Value: to.Ptr(cores)}},
		LocationInfo: []*armcompute.ResourceSKULocationInfo{{Location: to.Ptr("eastus"), Zones: to.SliceOfPtrs("3", "1", "2")}},
	}
	for _, e := range edit {
		e(is)
	}
	return is
}

// catalogue is what Azure says of sizes; asked are the lists that were read.
func catalogue(asked *int, now *time.Time, answer func(*skuPager)) *azurequota.SKUs {
	s := fake.ResourceSKUsServer{NewListPager: func(*armcompute.ResourceSKUsClientListOptions) (p skuPager) {
		*asked++
		answer(&p)
		return p
	}}
	return azurequota.NewSKUs(&azfake.TokenCredential{}, fake.NewResourceSKUsServerTransport(&s), func() time.Time { return *now })
}

func skuPage(list ...*armcompute.ResourceSKU) armcompute.ResourceSKUsClientListResponse {
	return armcompute.ResourceSKUsClientListResponse{ResourceSKUsResult: armcompute.ResourceSKUsResult{Value: list}}
}

func offers(p *skuPager) {
	disk := size("Premium_LRS", "", "0")
	disk.ResourceType = to.Ptr("disks")
	p.AddPage(http.StatusOK, skuPage(disk, nil, size("Standard_ND96isr_H200_v5", "standardNDSH200v5Family", "96", func(s *armcompute.ResourceSKU) {
		s.Restrictions = []*armcompute.ResourceSKURestrictions{{Type: to.Ptr(armcompute.ResourceSKURestrictionsTypeZone), RestrictionInfo: &armcompute.ResourceSKURestrictionInfo{Zones: to.SliceOfPtrs("1")}}}
	})), nil)
	p.AddPage(http.StatusOK, skuPage(
		size("Standard_Barred", "standardNDSH200v5Family", "96", func(s *armcompute.ResourceSKU) {
			s.Restrictions = []*armcompute.ResourceSKURestrictions{{
				Type: to.Ptr(armcompute.ResourceSKURestrictionsTypeLocation), ReasonCode: to.Ptr(armcompute.ResourceSKURestrictionsReasonCodeNotAvailableForSubscription), Values: to.SliceOfPtrs("eastus"),
			}}
		}),
		size("Standard_Meterless", "", "8"), size("Standard_Other", "standardOtherFamily", "12"), size("Standard_Large", "standardNDSH200v5Family", "192")), nil)
}

// begins notes whether something was begun.
type begins struct {
	provision.ByHand
	n int
}

func (b *begins) Begin(context.Context, provision.Order) (provision.Report, error) {
	b.n++
	return provision.Report{State: fleet.OperationRunning}, nil
}

func skuOrder(sku string) provision.Order {
	return provision.Order{
		Step:      fleet.StepScaleSets,
		Record:    fleet.ClusterRecord{Name: "lynx", Subscription: "s1", Region: "eastus", SKU: sku},
		Blueprint: fleet.Blueprint{Name: "nd", Version: 3, Meters: []fleet.Meter{{Meter: "cores", PerNode: 96}, {Meter: "StandardNDSH200v5Family", PerNode: 96}}},
	}
}

// What a size of machine counts against is read from all pages, and kept for an hour.
func TestAMachinesMeterIsRead(t *testing.T) {
	asked, now := 0, time.Unix(0, 0)
	s := catalogue(&asked, &now, offers)
	for range 3 {
		is, found, err := s.Find(t.Context(), "s1", "eastus", "standard_nd96isr_h200_v5")
		if err != nil || !found || is.Meter != "standardNDSH200v5Family" || is.Cores != 96 || !slices.Equal(is.Zones, []string{"2", "3"}) || is.Barred != "" {
			t.Fatalf("%+v, %v, %v", is, found, err)
		}
	}
	if _, found, _ := s.Find(t.Context(), "s1", "eastus", "Premium_LRS"); found || asked != 1 {
		t.Errorf("a disk was found: %v; asked %d times", found, asked)
	}
	now = now.Add(time.Hour)
	if _, _, err := s.Find(t.Context(), "s1", "eastus", "Standard_Other"); err != nil || asked != 2 {
		t.Errorf("after an hour: %v, asked %d times", err, asked)
	}
}

// Nothing is begun on cores that the blueprint does not reserve, and the message says where the
// mistake is and what mends it.
func TestNothingIsBuiltOnCoresThatAreNotCounted(t *testing.T) {
	for _, c := range []struct {
		sku, zone, says string
		class           fleet.ErrorClass
	}{
		{"Standard_ND96isr_H200_v5", "", "", ""},
		{"Standard_ND96isr_H200_v5", "2", "", ""},
		{"Standard_ND96isr_H200_v5", "1", "not to be had in zone 1 of eastus, but in the zones 2, 3", fleet.ErrorFix},
		{"", "", "the record of cluster lynx names no SKU", fleet.ErrorFix},
		{"Standard_Unknown", "", "offers no SKU Standard_Unknown in eastus; give cluster lynx one that it offers: `muster cluster change lynx --sku SKU`", fleet.ErrorFix},
		{"Standard_Barred", "", "subscription s1 may not have SKU Standard_Barred in eastus (NotAvailableForSubscription)", fleet.ErrorPerson},
		{"Standard_Meterless", "", "azure names no meter for SKU Standard_Meterless", fleet.ErrorFix},
		{"Standard_Other", "", "add a version with {meter: standardOtherFamily, perNode: 12}, then `muster cluster version lynx VERSION`", fleet.ErrorFix},
		{"Standard_Large", "", "takes 192 cores of meter standardNDSH200v5Family, and blueprint nd version 3 reserves 96", fleet.ErrorFix},
	} {
		asked, now, inner := 0, time.Unix(0, 0), &begins{}
		o := skuOrder(c.sku)
		if c.zone != "" {
			o.Record.Variables = map[string]string{"zone": c.zone}
		}
		_, err := azurequota.Metered{Outside: inner, SKUs: catalogue(&asked, &now, offers)}.Begin(t.Context(), o)
		var no *provision.Refused
		if c.says == "" {
			if err != nil || inner.n != 1 {
				t.Errorf("%s: %v, begun %d times", c.sku, err, inner.n)
			}
			continue
		}
		if !errors.As(err, &no) || no.Class != c.class || !strings.Contains(err.Error(), c.says) || inner.n != 0 {
			t.Errorf("%s: %v, begun %d times", c.sku, err, inner.n)
		}
	}
}

// While Azure does not answer nothing is begun; what it said on half of its pages counts for nothing.
func TestWithoutAzuresWordNothingIsBuilt(t *testing.T) {
	asked, now, inner := 0, time.Unix(0, 0), &begins{}
	s := catalogue(&asked, &now, func(p *skuPager) {
		p.AddPage(http.StatusOK, skuPage(size("Standard_ND96isr_H200_v5", "standardNDSH200v5Family", "96")), nil)
		p.AddResponseError(http.StatusTooManyRequests, "TooManyRequests")
	})
	var no *provision.Refused
	_, err := azurequota.Metered{Outside: inner, SKUs: s}.Begin(t.Context(), skuOrder("Standard_ND96isr_H200_v5"))
	if !errors.As(err, &no) || no.Class != fleet.ErrorWait || inner.n != 0 {
		t.Errorf("throttled on the second page: %v, begun %d times", err, inner.n)
	}
}
