package picture

import (
	"cmp"
	"slices"
	"strconv"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// Timeline is a quota in one partition over time.
type Timeline struct {
	Partition    string
	Moments      []draw.Moment
	Wide, Narrow draw.SVG
}

// Timelines are a quota's pictures, partition by partition.
func Timelines(quota string, s *musterv1.QuotaSeriesResponse) (list []Timeline) {
	from, to := s.GetWindow().GetFrom().AsTime(), s.GetWindow().GetTo().AsTime()
	var gaps []draw.Gap
	for _, g := range s.GetWindow().GetGaps() {
		gaps = append(gaps, draw.Gap{From: g.GetFrom().AsTime(), To: g.GetTo().AsTime()})
	}
	for i, one := range s.GetSeries() {
		t := Timeline{Partition: one.GetPartition()}
		for _, p := range one.GetMoments() {
			t.Moments = append(t.Moments, draw.Moment{
				At: p.GetAt().AsTime(), Assigned: int(p.GetAssigned()), Backed: int(p.GetBacked()), Scheduled: int(p.GetScheduled()),
				Borrowed: int(p.GetBorrowed()), Over: int(p.GetOver()), Lent: int(p.GetLent()), Flex: int(p.GetFlex()),
			})
		}
		label, id := "Use of "+quota+" in "+one.GetPartition()+" against what is backed", "tl"+strconv.Itoa(i)
		t.Wide, t.Narrow = draw.Timeline(id, label, t.Moments, gaps, from, to, draw.Wide), draw.Timeline(id, label, t.Moments, gaps, from, to, draw.Narrow)
		list = append(list, t)
	}
	return list
}

// TimelinePoints is how many moments a timeline has.
const TimelinePoints = 120

// Timelined puts a quota's pictures into one; of one partition it is that picture.
func Timelined(list []Timeline) draw.SVG {
	if len(list) == 1 {
		return list[0].Wide
	}
	var titled []draw.Titled
	for _, t := range list {
		titled = append(titled, draw.Titled{Title: t.Partition, SVG: t.Wide})
	}
	return draw.Pile("use", "Use against what is backed", titled)
}

// mostStages is how many rows a picture of repairs has.
const mostStages = 16

// Stages are repairs as rows of a picture, and which of them these are.
func Stages(list []*musterv1.RepairTimes) (rows []draw.Stages, shown []*musterv1.RepairTimes, more int) {
	shown, more = worstStages(list)
	for _, r := range shown {
		name := r.GetScope()
		if r.GetCause() != "" {
			name = "· " + CauseText("", r.GetCause())
		}
		row := draw.Stages{Name: name, Note: draw.Lasts(r.GetTotal().GetMean().AsDuration()) + ", " + draw.Number(int(r.GetRepaired())) + " repaired"}
		for _, s := range r.GetStages() {
			row.Parts = append(row.Parts, draw.Stage{Name: s.GetStage(), Mean: s.GetTimes().GetMean().AsDuration()})
		}
		rows = append(rows, row)
	}
	return rows, shown, more
}

// worstStages are the repairs that a picture has room for, and how many it has none for: every
// scope's own, the slowest scope first, and below each the same number of its slowest causes.
func worstStages(list []*musterv1.RepairTimes) (shown []*musterv1.RepairTimes, more int) {
	var scopes []*musterv1.RepairTimes
	causes := map[string][]*musterv1.RepairTimes{}
	all := 0
	for _, r := range list {
		switch {
		case r.GetRepaired() == 0:
			continue
		case r.GetCause() == "":
			scopes = append(scopes, r)
		default:
			causes[r.GetScope()] = append(causes[r.GetScope()], r)
		}
		all++
	}
	slowest(scopes)
	scopes = scopes[:min(len(scopes), mostStages)]
	for i, r := range scopes {
		room := (mostStages - len(scopes) - countCauses(shown)) / (len(scopes) - i) // what the ones before left is for the others
		below := causes[r.GetScope()]
		slowest(below)
		shown = append(append(shown, r), below[:min(len(below), room)]...)
	}
	return shown, all - len(shown)
}

// countCauses is how many of some repairs are of one cause.
func countCauses(list []*musterv1.RepairTimes) (n int) {
	for _, r := range list {
		if r.GetCause() != "" {
			n++
		}
	}
	return n
}

// slowest sorts repairs, those that took longest first.
func slowest(list []*musterv1.RepairTimes) {
	slices.SortStableFunc(list, func(a, b *musterv1.RepairTimes) int {
		return cmp.Compare(b.GetTotal().GetMean().AsDuration(), a.GetTotal().GetMean().AsDuration())
	})
}
