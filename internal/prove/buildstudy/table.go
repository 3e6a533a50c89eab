package buildstudy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Result is what a run found.
type Result struct {
	Seed                uint64
	Records, InProd     int
	Lead, Today         []time.Duration // from the quota to production, shortest first
	Entry, EntryToday   []time.Duration // from the entry to production
	Steps               map[fleet.ConditionType][]time.Duration
	Touches             map[string][]int // by blueprint
	Unasked             map[string][]int // the same, of clusters that no fault brought to a person
	TodayTouches        []int
	People, PeopleToday time.Duration // waited on, in sum, between quota and production
	Within50, Within90  int           // in production by what was said
	Said                int
	Broken              []string
}

// result gathers the figures of a run.
func (st *study) result() *Result {
	r := &Result{Seed: st.seed, Records: len(st.s.Lives), Steps: map[fleet.ConditionType][]time.Duration{}, Touches: map[string][]int{}, Unasked: map[string][]int{}, Broken: st.broken}
	for i := range st.clusters {
		if l := st.s.Life(st.clusters[i].record.Name); l != nil && l.Course.Produced != 0 {
			st.gather(r, l, &st.clusters[i])
		}
	}
	for _, list := range [][]time.Duration{r.Lead, r.Today, r.Entry, r.EntryToday} {
		slices.Sort(list)
	}
	for _, list := range r.Steps {
		slices.Sort(list)
	}
	return r
}

// asked says whether a touch is one that a fault asks for.
func asked(t fleet.Touch) bool { return t.What != "entry" && t.What != "checkin" }

func (st *study) gather(r *Result, l *fleet.Life, c *cluster) {
	quota, _ := l.Condition(fleet.QuotaAvailable)
	begins := quota.Turn.Add(quota.Took)
	produced, waited, touches := today(st.seed, c, begins)
	r.InProd++
	r.Lead, r.Entry = append(r.Lead, l.Course.Produced.Sub(begins)), append(r.Entry, l.Course.Produced.Sub(l.Entered))
	r.Today, r.EntryToday = append(r.Today, produced.Sub(begins)), append(r.EntryToday, produced.Sub(l.Entered))
	r.PeopleToday, r.TodayTouches = r.PeopleToday+waited, append(r.TodayTouches, touches)
	r.Touches[l.Record.Blueprint] = append(r.Touches[l.Record.Blueprint], len(l.Touches))
	if !slices.ContainsFunc(l.Touches, asked) {
		r.Unasked[l.Record.Blueprint] = append(r.Unasked[l.Record.Blueprint], len(l.Touches))
	}
	for _, t := range l.Touches {
		if t.What != "entry" {
			r.People += t.Waited
		}
	}
	for _, x := range l.Conditions {
		if x.Took != 0 {
			r.Steps[x.Type] = append(r.Steps[x.Type], x.Took)
		}
	}
	if p, ok := st.said[l.Record.Name]; ok {
		r.Said++
		if l.Course.Produced <= p.p50 {
			r.Within50++
		}
		if l.Course.Produced <= p.p90 {
			r.Within90++
		}
	}
}

// quantile is the smallest value that at least so many of a hundred do not exceed.
func quantile(list []time.Duration, percent int) time.Duration {
	if len(list) == 0 {
		return 0
	}
	return list[(len(list)*percent+99)/100-1]
}

func mean(list []int) float64 {
	sum := 0
	for _, n := range list {
		sum += n
	}
	return float64(sum) / float64(max(1, len(list)))
}

func sum(list []time.Duration) (all time.Duration) {
	for _, d := range list {
		all += d
	}
	return all
}

func hours(d time.Duration) string {
	if d < 10*time.Minute {
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// Table is the figures as a table of a document.
func (r *Result) Table() string {
	var b strings.Builder
	row := func(what, muster, today string) { fmt.Fprintf(&b, "| %s | %s | %s |\n", what, muster, today) }
	b.WriteString("| | Muster | people who look every working day at 10:00 |\n| --- | ---: | ---: |\n")
	row("clusters in production", fmt.Sprintf("%d of %d", r.InProd, r.Records), fmt.Sprint(len(r.Today)))
	for _, p := range []int{50, 90} {
		row(fmt.Sprintf("from quota to production, p%d", p), hours(quantile(r.Lead, p)), hours(quantile(r.Today, p)))
		row(fmt.Sprintf("from entry to production, p%d", p), hours(quantile(r.Entry, p)), hours(quantile(r.EntryToday, p)))
	}
	row("touches of a cluster, check-in by a person", fmt.Sprintf("%.2f", mean(r.Touches["nd"])), fmt.Sprintf("%.2f", mean(r.TodayTouches)))
	row("touches of a cluster, with the inventory", fmt.Sprintf("%.2f", mean(r.Touches["nd-inventory"])), "")
	row("clusters that no fault brought to a person; touches by a person's check-in, with the inventory",
		fmt.Sprintf("%d; %.2f, %.2f", len(r.Unasked["nd"])+len(r.Unasked["nd-inventory"]), mean(r.Unasked["nd"]), mean(r.Unasked["nd-inventory"])), "")
	row("of the time from quota to production: waited on people", share(r.People, sum(r.Lead)), share(r.PeopleToday, sum(r.Today)))
	row("in production by what was said: p50, p90", fmt.Sprintf("%d %%, %d %%", 100*r.Within50/max(1, r.Said), 100*r.Within90/max(1, r.Said)), "")
	row("cores given that were not free, or out of order", fmt.Sprint(len(r.Broken)), "")
	b.WriteString("\n| step | p50 | p90 |\n| --- | ---: | ---: |\n")
	for _, t := range fleet.ConditionTypes() {
		if list := r.Steps[t]; len(list) > 0 && quantile(list, 90) >= Beat {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t, hours(quantile(list, 50)), hours(quantile(list, 90)))
		}
	}
	return b.String()
}

func share(part, of time.Duration) string {
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(max(1, of)))
}
