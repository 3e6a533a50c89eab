package cli

import (
	"fmt"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
)

// remedies says what would let a workload start, and the commands that do it.
func (p *page) remedies(res *musterv1.WhyResponse) {
	w := res.GetWorkload()
	if w.GetState() != "pending" || res.GetForecast() == nil {
		return
	}
	p.say("")
	switch {
	case len(res.GetChanges()) > 0:
		p.say("What helps; each of these was tried:")
	case !res.GetMissed():
		p.wrapAs("", "No single change that was tried would let it start: other targets, fewer replicas, more quota, nodes back, others ending.")
	}
	for i, r := range res.GetChanges() {
		if i == shownRemedies && !p.wide {
			p.say("  and %d more: -o wide shows them.", len(res.GetChanges())-i)
			break
		}
		p.remedy(r)
	}
	if res.GetMissed() {
		p.say("There was no time to try everything: whether anything else helps is not known.")
	}
	if res.GetMissed() || ranOut(res.GetForecast()) && res.GetAnswer() != "impossible" {
		p.searchLonger(res.GetLonger(), "muster", "why", nameOf(w))
	}
}

// whom says who must be asked for a change.
func whom(r *musterv1.Remedy) string {
	switch r.GetClass() {
	case "ask":
		return "; ask " + words.WhoCan(r.GetKind()) + byRequest(r.GetKind())
	case "fault":
		return "; ask an operator"
	}
	return ""
}

// byRequest says by which command a change of a kind is asked for.
func byRequest(kind string) string {
	switch kind {
	case "grant", "gang", "transfer":
		return " (muster quota request)"
	}
	return ""
}

func (p *page) remedy(r *musterv1.Remedy) {
	p.wrapAs("  - ", fmt.Sprintf("%s: %s%s%s", r.GetText(), p.starts(r), whom(r), p.byItself(r)))
	if r.GetClass() == "wait" && r.GetBy() != nil {
		return // it comes by itself
	}
	for _, line := range r.GetCommands() {
		p.command(line)
	}
}

// byItself says when a change that can be asked for comes without asking.
func (p *page) byItself(r *musterv1.Remedy) string {
	if r.GetClass() != "ask" || r.GetBy() == nil {
		return ""
	}
	by := r.GetBy().AsTime()
	return fmt.Sprintf("; it comes by itself at %s (%s)", p.moment(by), p.until(by))
}

// starts says how a workload starts once something was done.
func (p *page) starts(r *musterv1.Remedy) string {
	st := r.GetStart()
	when := "starts at once"
	switch late := st.GetAt().AsTime().Sub(p.at()); {
	case r.GetClass() == "wait" && r.GetBy() != nil:
		by := r.GetBy().AsTime()
		return fmt.Sprintf("then it starts, at %s (%s) or within its grace after that", p.moment(by), p.until(by))
	case late.Hours() >= 1:
		when = "starts " + p.until(st.GetAt().AsTime()) + " (capacity counts again after probation and the dwell)"
	case late.Seconds() > 1:
		when = fmt.Sprintf("starts within %s", short(late))
	}
	return fmt.Sprintf("%s, %s%s", when, standing(st), evicts(st))
}

// standing says how and where a workload starts.
func standing(st *musterv1.Start) string {
	how := st.GetHolds()
	if how == "flex" {
		how = "on flex"
	}
	return fmt.Sprintf("%s in %s/%s", how, st.GetPartition(), strings.Join(st.GetIslands(), "+"))
}

func evicts(st *musterv1.Start) string {
	said := ""
	if gone := words.Work(st.GetEvicts(), st.GetEvictsOthers(), 3); gone != "" {
		said += ", and " + gone + " must leave"
	}
	if wait := words.Work(st.GetOutranks(), st.GetOutranksOthers(), 3); wait != "" {
		said += ", and " + wait + " must wait for it"
	}
	return said
}

// command says a command line; one that is too long goes on in the next line, as a shell reads it.
func (p *page) command(text string) {
	const indent = "      "
	line := ""
	for _, word := range flagged(strings.Fields(text)) {
		if line != "" && len(indent)+len(line)+len(word)+3 > widest {
			p.say("%s%s \\", indent, line)
			line = " "
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	p.say("%s%s", indent, line)
}

// flagged puts flags together with their values.
func flagged(words []string) []string {
	var list []string
	for _, word := range words {
		if n := len(list); n > 0 && strings.HasPrefix(list[n-1], "-") && !strings.Contains(list[n-1], " ") && !strings.HasPrefix(word, "-") {
			list[n-1] += " " + word
			continue
		}
		list = append(list, word)
	}
	return list
}

// shownRemedies is how many changes are shown, unless all are asked for.
const shownRemedies = 6
