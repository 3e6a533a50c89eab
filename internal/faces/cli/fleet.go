package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/wire"
)

func newFleetShow(a *app) *cobra.Command {
	return newShow(a, "fleet", "show the fleet: its policy, clusters, partitions and islands", "", (*showOptions).fleet)
}

func (o *showOptions) fleet(ctx context.Context) (answer, error) {
	res, err := o.client().Fleet.GetFleet(ctx, &musterv1.GetFleetRequest{AsOf: o.asOf.message()})
	if err != nil {
		return answer{}, err
	}
	return answer{message: res, table: fleetTable(res), lead: func(p *page) { p.policy(res) }}, nil
}

func (p *page) policy(f *musterv1.GetFleetResponse) {
	pol := f.GetPolicy()
	p.field("buffer", wire.BufferTold(pol.GetBuffer()).InFull())
	for _, scope := range slices.Sorted(maps.Keys(f.GetBuffers())) {
		p.field("", scope+": buffer "+wire.BufferTold(f.GetBuffers()[scope]).InFull())
	}
	for _, one := range []struct {
		name string
		d    *durationpb.Duration
	}{
		{"dwell", pol.GetDwell()},
		{"probation", pol.GetProbation()},
		{"stale after", pol.GetStaleAfter()},
		{"flex minimum", pol.GetFlexMinimum()},
		{"max grace", pol.GetMaxGrace()},
	} {
		p.field(one.name, spanText(one.d))
	}
	p.field("idle", fmt.Sprintf("under %s for %s", share(pol.GetIdle().GetThreshold()), spanText(pol.GetIdle().GetWindow())))
	if t := pol.GetTargets(); t != nil {
		p.field("targets", fmt.Sprintf("availability %s, uptime %s, mttr %s", share(t.GetAvailability()), share(t.GetUptime()), spanText(t.GetMttr())))
	}
	p.people(pol)
	p.planned(pol.GetMaintenance())
	for _, c := range f.GetClusters() {
		if t := c.GetTargets(); t != nil {
			p.field("", c.GetName()+": "+ownTargets(t))
		}
	}
	for _, i := range f.GetIncidents() {
		p.field("incident", fmt.Sprintf("%s %s, %s, since %s", i.GetName(), i.GetSeverity(), orElse(i.GetScope(), "fleet"), p.moment(i.GetOpened().AsTime())))
	}
	p.say("")
}

// people says what the policy asks of people, and lets them read.
func (p *page) people(pol *musterv1.Policy) {
	if pol.GetSecondPerson() {
		p.field("haircuts", "a second person reviews them")
	}
	if list := pol.GetTwoPeople().GetFor(); len(list) > 0 {
		p.field("two people", strings.Join(list, ", "))
	}
	if pol.GetOpenReading() {
		p.field("reading", "people read all work in full, not their own teams' alone")
	}
}

// planned says what planned work keeps to, where the policy sets it.
func (p *page) planned(m *musterv1.MaintenancePolicy) {
	if m == nil {
		return
	}
	text := fmt.Sprintf("horizon %s, lead %s, validation %s, keep room %s", spanText(m.GetHorizon()), spanText(m.GetLead()), spanText(m.GetValidation()), spanText(m.GetKeepRoom()))
	if days := m.GetZoneDays(); days > 0 {
		text += fmt.Sprintf(", no-fly days of owners %d a quarter", days)
	}
	p.field("planned work", text)
}

// ownTargets says which targets a cluster has of its own.
func ownTargets(t *musterv1.Targets) string {
	var parts []string
	if t.GetAvailability() != 0 {
		parts = append(parts, "availability "+share(t.GetAvailability()))
	}
	if t.GetUptime() != 0 {
		parts = append(parts, "uptime "+share(t.GetUptime()))
	}
	if t.GetMttr().AsDuration() != 0 {
		parts = append(parts, "mttr "+spanText(t.GetMttr()))
	}
	return strings.Join(parts, ", ")
}

func spanText(d *durationpb.Duration) string {
	return words.Duration(d.AsDuration().Round(time.Millisecond))
}

// share says a share in percent.
func share(x float64) string { return strconv.FormatFloat(x*100, 'f', -1, 64) + " %" }

func fleetTable(f *musterv1.GetFleetResponse) *table {
	t := newTable("There are no clusters yet; muster apply -f FILE adds them.",
		column{head: "CLUSTER", name: true}, column{head: "MODE"}, column{head: "GPU", cut: true}, column{head: "GPUS PER NODE", right: true},
		column{head: "ISLAND", name: true}, column{head: "NODES", right: true}, column{head: "RACKS", right: true}, column{head: "NOTE", spare: true})
	for _, c := range f.GetClusters() {
		note := ""
		if c.GetStale() {
			note = "stale"
		}
		for _, p := range c.GetPartitions() {
			for _, i := range p.GetIslands() {
				t.add(c.GetName(), c.GetMode(), p.GetGpu(), p.GetGpusPerNode(), i.GetName(), len(i.GetNodes()), i.GetRacks(), note)
			}
			if len(p.GetIslands()) == 0 {
				t.add(c.GetName(), c.GetMode(), p.GetGpu(), p.GetGpusPerNode(), "", 0, 0, note)
			}
		}
		if len(c.GetPartitions()) == 0 {
			t.add(c.GetName(), c.GetMode(), "", 0, "", 0, 0, note)
		}
	}
	return t
}
