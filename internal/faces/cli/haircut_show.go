package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	pictures "github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/text"
)

// haircutAnswer shows a plan: what it finds and cuts, and what that does.
func haircutAnswer(h *musterv1.Haircut) answer {
	return answer{
		message: h, table: cutTable(h),
		lead: func(p *page) { p.haircut(h) },
		tail: func(p *page) { p.consequences(h) },
	}
}

// cutTable lists the cuts. A wave is of one class, which stands above the table, so how a cut is
// made up is for people only in plans of earlier versions, whose waves take all classes.
func cutTable(h *musterv1.Haircut) *table {
	one := !slices.ContainsFunc(h.GetWaves(), func(w *musterv1.HaircutWave) bool { return w.GetClass() == "" })
	t := newTable(nothingToCut(h.GetAsk()),
		column{head: "WAVE", right: true}, column{head: "PARTITION", name: true}, column{head: "QUOTA", name: true},
		column{head: "OWNER", name: true}, column{head: "WAS", right: true}, column{head: "NOW", right: true}, column{head: "CUT", right: true},
		column{head: "ASKED", right: true}, column{head: "ABOVE USE", right: true, wide: one}, column{head: "IDLE", right: true, spare: true, wide: one}, column{head: "REST", right: true, spare: true, wide: one},
		column{head: "USAGE", right: true}, column{head: "MOST 90D", right: true}, column{head: "GANG", right: true, wide: true},
		column{head: "NOTE", spare: true, folds: true}, column{head: "CLASS", wide: true})
	said := map[string]bool{}
	for i, w := range h.GetWaves() {
		for _, part := range w.GetParts() {
			for _, c := range part.GetCuts() {
				t.add(i+1, part.GetPartition(), c.GetQuota(), orElse(c.GetOwner(), "no one"), c.GetWas(), c.GetNow(), c.GetWas()-c.GetNow(),
					askedOnce(said, part.GetPartition(), c), c.GetCutUnscheduled(), c.GetCutIdle(), c.GetCutRest(), c.GetUsage(), c.GetHighest(), c.GetGang(), cutNote(c), w.GetClass())
			}
		}
	}
	return t
}

// nothingToCut says why a plan has no cuts.
func nothingToCut(ask *musterv1.HaircutAsk) string {
	if ask.GetBasis() == "quota" {
		return "There is nothing to cut: the policy keeps nothing back of what is assigned, or nothing is assigned. --policy tries another policy."
	}
	return "There is nothing to cut: everywhere assigned is within sustainable. --basis quota cuts what is assigned even so."
}

// askedOnce is what a quota is asked for in all waves of a partition: shown in the first of them, and not again.
func askedOnce(said map[string]bool, partition string, c *musterv1.HaircutCut) any {
	key := partition + " " + c.GetQuota()
	if said[key] {
		return figure{float64(c.GetAsked()), ""}
	}
	said[key] = true
	return c.GetAsked()
}

// cutNote says what is particular to a cut: why it is not what was asked, and what it takes
// that would have ended, or of the gang.
func cutNote(c *musterv1.HaircutCut) string {
	parts := []string{words.CutWhy(c.GetWhy())}
	if c.GetNow() < c.GetGang() {
		parts = append(parts, fmt.Sprintf("below its gang of %d", c.GetGang()))
	}
	if n := c.GetCutTemporary(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d would end %s", n, weekday(c.GetTemporaryUntil().AsTime())))
	}
	return joined(parts...)
}

// spared names the quotas that were asked to give and keep all they have, and says why.
func (p *page) spared(h *musterv1.Haircut) {
	var names, seen []string
	for _, w := range h.GetWaves() {
		for _, part := range w.GetParts() {
			if slices.Contains(seen, part.GetPartition()) {
				continue
			}
			seen = append(seen, part.GetPartition())
			for _, c := range part.GetSpared() {
				names = append(names, fmt.Sprintf("%s in %s (%d asked: %s)", c.GetQuota(), part.GetPartition(), c.GetAsked(), words.CutWhy(c.GetWhy())))
			}
		}
	}
	if len(names) > 0 {
		p.wrapAs("", "Keep all they have: "+words.Few(names, 6))
	}
}

// haircut says what a plan is, and draws each partition that it cuts.
func (p *page) haircut(h *musterv1.Haircut) {
	p.say("%s  %s, basis %s, policy %s, of version %d%s", p.paint.paint(strong, orElse(h.GetName(), "draft")),
		orElse(h.GetAsk().GetScope(), "the fleet"), h.GetAsk().GetBasis(), policyText(h.GetAsk().GetBuffer()), h.GetVersion(), reviewText(h))
	s := h.GetSums()
	if s.GetTotal() > 0 {
		p.say("Cuts %s: %s%s above usage, %s held by idle jobs, %s the rest. %s, %s.", counted(int64(s.GetTotal()), "GPU", "GPUs"),
			fractionText(s), grouped(int64(s.GetUnscheduled())), grouped(int64(s.GetIdle())), grouped(int64(s.GetRest())), counted(int64(h.GetQuotas()), "quota", "quotas"),
			counted(int64(h.GetPeople()), "owner", "owners"))
	}
	if says := pictures.CutAndAsked(h); says != "" {
		p.wrapAs("", says+"\n")
	}
	if h.GetReason() != "" {
		p.wrapAs("Reason: ", h.GetReason())
	}
	if h.GetEffective() != nil {
		p.say("People are told that no wave takes effect before %s.", p.moment(h.GetEffective().AsTime()))
	}
	drawn := map[string]bool{}
	for i, w := range h.GetWaves() {
		p.say("%s", strings.TrimRight(fmt.Sprintf("Wave %d  %s  %s, %s  headroom %+.1f %%  %s", i+1, p.paint.paint(strong, w.GetCluster()),
			words.CutClass(w.GetClass()), counted(int64(w.GetSums().GetTotal()), "GPU", "GPUs"), float64(w.GetHeadroom())/10, waveText(p, h, w)), " "))
		for _, part := range w.GetParts() {
			if !drawn[part.GetPartition()] { // a later wave there starts from what the earlier one left
				p.part(part)
			}
			drawn[part.GetPartition()] = true
		}
	}
}

// fractionText says what is cut of grants that fills no whole node, if anything.
func fractionText(s *musterv1.HaircutSums) string {
	if s.GetFraction() == 0 {
		return ""
	}
	return grouped(int64(s.GetFraction())) + " that fill no whole node, "
}

func policyText(b *musterv1.Buffer) string {
	if b == nil {
		return "in force"
	}
	return wire.BufferTold(b).String()
}

func reviewText(h *musterv1.Haircut) string {
	if h.GetReviewed() == nil {
		return ""
	}
	return ", reviewed by " + h.GetReviewedBy()
}

func waveText(p *page, h *musterv1.Haircut, w *musterv1.HaircutWave) string {
	switch {
	case w.GetUndone() != nil && w.GetApplied().AsTime().Before(w.GetUndone().AsTime()):
		return "undone at " + p.moment(w.GetUndone().AsTime())
	case w.GetApplied() != nil:
		return "in force since " + p.moment(w.GetApplied().AsTime()) + earlier(h, w)
	case w.GetBlocked() != "":
		return "not yet, see below"
	}
	return ""
}

// earlier says of a wave in force that people had been told of a later day.
func earlier(h *musterv1.Haircut, w *musterv1.HaircutWave) string {
	if h.GetEffective() == nil || !w.GetApplied().AsTime().Before(h.GetEffective().AsTime()) {
		return ""
	}
	return ", before the day that people were told"
}

// part draws one partition: what is healthy, sustainable and assigned, to scale.
func (p *page) part(part *musterv1.HaircutPart) {
	most := max(part.GetInstalled(), part.GetAssigned())
	over := ""
	if part.GetExcess() > 0 {
		over = number(int64(part.GetExcess())) + " over"
	}
	p.say("  %s", part.GetPartition())
	for _, one := range []struct {
		name   string
		n      int32
		style  style
		remark string
	}{
		{"healthy", part.GetHealthy(), good, fmt.Sprintf("of %s installed", number(int64(part.GetInstalled())))},
		{"sustainable", part.GetSustainable(), tinted, ""},
		{"assigned", part.GetAssigned(), bad, over},
	} {
		p.say("%s", strings.TrimRight(fmt.Sprintf("    %-11s %s %7s  %s", one.name, p.paint.paint(one.style, bar(one.n, most, 40)), number(int64(one.n)), one.remark), " "))
	}
	if part.GetExcess() > 0 {
		p.wrapAs("    ", "because of: "+causesText(part))
	}
}

func causesText(part *musterv1.HaircutPart) string {
	var parts []string
	for _, c := range part.GetCauses() {
		parts = append(parts, fmt.Sprintf("%d %s", c.GetGpus(), c.GetCause()))
	}
	text := strings.Join(parts, ", ")
	if list := part.GetIncidents(); len(list) > 0 {
		text += " (" + strings.Join(list, ", ") + ")"
	}
	return text
}

// consequences says what trying the plan showed.
func (p *page) consequences(h *musterv1.Haircut) {
	touched := 0
	for i, w := range h.GetWaves() {
		for _, part := range w.GetParts() {
			for _, t := range part.GetUnprotected() {
				p.wrapAs("  ", fmt.Sprintf("%s (%s) %s on, with %s unprotected in %s.", t.GetWorkload(), t.GetQuota(), words.Does(t.GetWorkload(), "runs", "run"), counted(int64(t.GetGpus()), "GPU", "GPUs"), part.GetPartition()))
			}
			for _, t := range part.GetEvicted() {
				p.wrapAs("  ", fmt.Sprintf("%s (%s) %s way with %s in %s to work that starts then.", t.GetWorkload(), t.GetQuota(), words.Does(t.GetWorkload(), "gives", "give"), counted(int64(t.GetGpus()), "GPU", "GPUs"), part.GetPartition()))
			}
			for _, t := range part.GetRequeued() {
				p.wrapAs("  ", fmt.Sprintf("%s (%s) %s reserved room of %s in %s: %s, with its age.", t.GetWorkload(), t.GetQuota(), words.Does(t.GetWorkload(), "is starting, and loses its", "are starting, and lose their"), counted(int64(t.GetGpus()), "GPU", "GPUs"), part.GetPartition(), words.Does(t.GetWorkload(), "it goes back to its queue", "each goes back to its queue")))
			}
			touched += len(part.GetUnprotected()) + len(part.GetEvicted()) + len(part.GetRequeued())
			p.flexGain(i+1, part)
		}
	}
	if touched == 0 && len(h.GetWaves()) > 0 {
		p.say("%s", p.paint.paint(good, "No running work is lost or becomes unprotected, and none that is starting goes back to its queue (tried on a copy of the fleet)."))
	}
	p.spared(h)
	p.fits(h)
	p.obstacles(h)
}

// obstacles says what stops a wave, or asks for a reason.
func (p *page) obstacles(h *musterv1.Haircut) {
	for _, w := range h.GetWaves() {
		for _, why := range w.GetGate() {
			p.wrapAs("  ", fmt.Sprintf("%s The wave over %s (%s) stops the next: %s", p.paint.paint(bad, "!"), w.GetCluster(), words.CutClass(w.GetClass()), why))
		}
		if w.GetNeedsReason() != "" {
			p.wrapAs("  ", fmt.Sprintf("%s Only with --reason, %s over %s: %s", p.paint.paint(waiting, "·"), words.CutClass(w.GetClass()), w.GetCluster(), w.GetNeedsReason()))
		}
	}
	for _, s := range stopsOf(h) {
		p.wrapAs("  ", fmt.Sprintf("%s Not yet, %s: %s", p.paint.paint(waiting, "·"), s.waves(), s.why))
	}
}

// flexGain says what a wave makes flex in a partition.
func (p *page) flexGain(wave int, part *musterv1.HaircutPart) {
	p.wrapAs("  ", fmt.Sprintf("wave %d, flex in %s: %s now, %s then; quotas may call back %s of it now, %s then", wave, part.GetPartition(),
		text.Count(part.GetFlex(), "GPU"), grouped(int64(part.GetFlexAfter())),
		grouped(int64(part.GetFlex()-part.GetFirm())), grouped(int64(part.GetFlexAfter()-part.GetFirmAfter()))))
	if list := part.GetKnown(); len(list) > 0 {
		var names []string
		for _, t := range list {
			names = append(names, fmt.Sprintf("%s (%s)", t.GetWorkload(), counted(int64(t.GetGpus()), "GPU", "GPUs")))
		}
		p.wrapAs("    ", "Unprotected before this wave already: "+words.Few(names, 6))
	}
}

// fits names the partitions that need no cut, with what is unallocated there.
func (p *page) fits(h *musterv1.Haircut) {
	var names []string
	for _, part := range h.GetFit() {
		text := part.GetPartition()
		if part.GetUnallocated() > 0 {
			text += fmt.Sprintf(" (%s unallocated)", grouped(int64(part.GetUnallocated())))
		}
		names = append(names, text)
	}
	if len(names) > 0 {
		p.wrapAs("", "No cut in: "+strings.Join(names, ", "))
	}
}

// haircutNameOptions are those of the verbs that show one saved plan.
type haircutNameOptions struct {
	*app
	reading
	name string
}

func newHaircutShow(a *app) *cobra.Command {
	o := &haircutNameOptions{app: a}
	cmd := &cobra.Command{
		Use:     "show NAME",
		Short:   "show a saved plan: its waves, what is in force, and what holds the others back",
		Example: "  muster haircut show autumn",
		Args:    needs(1, 1, "the name of a saved haircut"),

		Annotations: map[string]string{formatsOf: "svg"},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return o.read(cmd.Context(), &o.reading, o.show)
		},
	}
	o.reading.flags(a, cmd)
	return cmd
}

func (o *haircutNameOptions) get(ctx context.Context) (*musterv1.GetHaircutResponse, error) {
	return o.client().Haircuts.GetHaircut(ctx, &musterv1.GetHaircutRequest{AsOf: o.asOf.message(), Name: o.name})
}

func (o *haircutNameOptions) show(ctx context.Context) (answer, error) {
	res, err := o.get(ctx)
	if err != nil {
		return answer{}, err
	}
	ans := haircutAnswer(res.GetHaircut())
	ans.message = res
	if o.output == "svg" {
		ans.picture, err = o.dumbbells(ctx, res.GetHaircut(), &o.reading)
	}
	return ans, err
}
