package cli

import (
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// trouble says why a workload failed, that it hangs, and which incidents touch where it is.
func (p *page) trouble(res *musterv1.WhyResponse) {
	p.failure(res.GetFailure(), res.GetWorkload().GetFailureNode())
	if res.GetHung() != nil {
		p.say("  %s: it looks busy, but tensor cores and network have been still for %s", p.paint.paint(bad, "hung"), short(res.GetHung().AsDuration()))
	}
	for _, said := range res.GetSaid() {
		p.wrapAs("  ", "on its cluster: "+said)
	}
	if len(res.GetIncidents()) > 0 {
		p.say("  open incidents: %s", strings.Join(res.GetIncidents(), ", "))
	}
}

// failure says why a workload failed, where it stood, and which of its nodes changed within
// minutes of its end.
func (p *page) failure(f *musterv1.Failure, node string) {
	if f == nil {
		return
	}
	p.wrapAs("  why       ", causeText(f.GetCause(), node))
	for _, e := range f.GetEvidence() {
		p.wrapAs("            ", p.moment(e.GetAt().AsTime())+"  "+prefixed("", e.GetNode())+prefixed("  ", e.GetSays()))
	}
	p.wrapAs("  stood on  ", words.Few(text.Folded(f.GetNodes()), 12))
	if len(f.GetAround()) == 0 && f.GetCause() != "" {
		p.say("            none of them changed state from 10 min before to 5 min after")
	}
	for _, e := range f.GetAround() {
		p.wrapAs("            ", p.moment(e.GetAt().AsTime())+"  "+e.GetNode()+" "+e.GetSays())
	}
	if f.GetCause() == "not known" && len(f.GetNodes()) > 0 {
		p.say("            muster node history %s says what befell a node before and after", f.GetNodes()[0])
	}
}

// causeText is why a workload failed, in words.
func causeText(cause, node string) string {
	switch cause {
	case "":
		return "not judged yet: signals of the next minutes count too"
	case "infra":
		return "infra: " + words.BrokenBy(node)
	case "own":
		return "own: signals spoke against the work, not against its nodes"
	}
	return "not known: Muster was told that it ended by failing, and nothing more"
}
