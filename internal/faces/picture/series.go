package picture

import (
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
func Stages(list []*musterv1.RepairTimes) (rows []draw.Stages, shown []*musterv1.RepairTimes) {
	for _, r := range list {
		if r.GetRepaired() == 0 || len(rows) == mostStages {
			continue
		}
		shown = append(shown, r)
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
	return rows, shown
}
