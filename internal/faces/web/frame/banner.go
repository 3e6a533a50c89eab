package frame

import (
	"context"
	"slices"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
	"github.com/muster-fleet/muster/internal/state/event"
)

// Banner is something that its readers must see: automation has stopped somewhere, many
// nodes report the same at once, or a change by people left their running work unprotected.
// It also says that a person broke the glass, or that a change waits for a second person.
type Banner struct {
	Key  string // names it for as long as it stands
	Text string
	Path string // where to do something about it
	Do   string // what can be done there
	All  bool   // and everybody may
	Own  bool   // the server says it of itself: it is not acknowledged

	About []string // partitions and quotas that it is about, as Page.About has them; TheFleet: every page

	By    string    // who acknowledged it; "" before that
	Until time.Time // until when it is acknowledged
	Why   string    // as the person who acknowledged it says
}

// seen says whether it has been acknowledged.
func (b Banner) seen() bool { return b.By != "" }

// asks says whether a person is to acknowledge it.
func (b Banner) asks() bool { return !b.seen() && !b.Own }

// bannersOf are the banners of a fleet's health. Bursts that were judged have none.
func bannersOf(h *musterv1.HealthResponse, judged map[string]time.Time) (list []Banner) {
	for _, p := range h.GetPartitions() {
		if p.GetTripped() != nil {
			list = append(list, Banner{
				Key: "breaker " + p.GetPartition() + " " + parts.Stamp(p.GetTripped().AsTime()), Path: "/do/breaker?partition=" + p.GetPartition(), Do: "Close the breaker …",
				About: []string{p.GetPartition()},
				Text:  "Automation has stopped in " + p.GetPartition() + ": signals asked for " + draw.Count(int(p.GetTrippedNodes()), "node") + " at once. It waits for an operator.",
			})
		}
		for _, b := range p.GetBursts() {
			if key := p.GetPartition() + " " + b.GetSignature(); !b.GetReal() && judged[key].Before(b.GetSince().AsTime()) {
				list = append(list, Banner{
					Key: "burst " + key + " " + parts.Stamp(b.GetSince().AsTime()), Path: burstPath(p.GetPartition(), b.GetSignature()), Do: "Judge it …",
					About: []string{p.GetPartition()},
					Text:  "Possible false alarm in " + p.GetPartition() + ": " + draw.Count(int(b.GetNodes()), "node") + " report " + b.GetSignature() + " at once, which points to " + b.GetAccuses() + ". No node was taken out of service.",
				})
			}
		}
	}
	return list
}

// cutKey begins the keys of warnings about cuts of protection: the partition, the quota and the
// moment follow.
const cutKey = "cut "

// cutBanners say which running work of the reader's a change by people has left unprotected.
func cutBanners(warnings []*musterv1.Warning) (list []Banner) {
	for _, w := range warnings {
		if about, ok := strings.CutPrefix(w.GetKey(), cutKey); ok {
			if of := strings.Fields(about); len(of) == 3 {
				list = append(list, Banner{
					Key: w.GetKey(), Text: w.GetText(), Path: (&Visit{}).To("/team/" + of[1]), Do: "The quota", All: true, About: []string{of[0], OfQuota(of[1])},
				})
			}
		}
	}
	return list
}

// serverBanners are what the server says itself: that it follows or that its journal is away, that a person broke the
// glass, that changes wait for a second person, and that a partition is halted.
func serverBanners(warnings []*musterv1.Warning) (list []Banner) {
	for _, w := range warnings {
		kind, of, _ := strings.Cut(w.GetKey(), " ")
		b := Banner{Key: w.GetKey(), Text: w.GetText(), Own: true, All: true, About: []string{TheFleet}}
		switch kind {
		case "server":
			b.Path, b.Do, b.All = "/nodes", "Nodes and health", false
		case "glass":
			b.Path, b.Do = "/events", "What was done"
		case "proposal":
			b.Path, b.Do, b.About = (&Visit{}).To("/do/approve", "id", of), "Approve it …", []string{w.GetKey()}
		case "proposed":
			b.Path, b.Do, b.About = "/events?kind=proposal.", "What was proposed", []string{w.GetKey()}
		case "halted":
			b.Path, b.Do, b.All, b.Own, b.About = (&Visit{}).To("/do/breaker", "partition", of), "Let decisions go on …", false, false, []string{of}
		default:
			continue
		}
		list = append(list, b)
	}
	return list
}

// ofHealth says whether a warning is about what the health of the fleet has more of.
func ofHealth(w *musterv1.Warning) bool {
	return strings.HasPrefix(w.GetKey(), "breaker ") || strings.HasPrefix(w.GetKey(), "burst ")
}

func burstPath(partition, signature string) string {
	return (&Visit{}).To("/do/burst", "partition", partition, "signature", signature)
}

// mostJudged is how many judgements of bursts are read.
const mostJudged = 200

// judgedBursts says when people judged bursts last, by partition and signature.
func judgedBursts(ctx context.Context, v *Visit) (map[string]time.Time, error) {
	e, err := v.Events.ListEvents(ctx, &musterv1.ListEventsRequest{Kinds: []string{"burst.judged"}, Limit: mostJudged})
	judged := map[string]time.Time{}
	for _, r := range e.GetRecords() {
		for _, one := range r.GetEvents() {
			fact, _ := event.Parse(one.GetKind(), []byte(one.GetData())) // what cannot be read judges nothing
			if b, ok := fact.(event.BurstJudged); ok {
				judged[b.Partition+" "+b.Signature] = r.GetAt().AsTime()
			}
		}
	}
	return judged, err
}

// markSeen says of banners who acknowledged them; those come last.
func markSeen(list []Banner, warnings []*musterv1.Warning) []Banner {
	list = slices.Clone(list)
	for i, b := range list {
		for _, w := range warnings {
			if w.GetKey() == b.Key && w.GetAcknowledgedBy() != "" {
				list[i].By, list[i].Until, list[i].Why = w.GetAcknowledgedBy(), w.GetUntil().AsTime(), w.GetReason()
			}
		}
	}
	return append(slices.DeleteFunc(slices.Clone(list), Banner.seen), slices.DeleteFunc(list, func(b Banner) bool { return !b.seen() })...)
}

// askBanners asks the API what everybody must see.
func askBanners(ctx context.Context, v *Visit) ([]Banner, error) {
	health, err := v.Health.Health(ctx, &musterv1.HealthRequest{})
	if err != nil {
		return nil, err
	}
	judged, err := judgedBursts(ctx, v)
	return bannersOf(health, judged), err
}

// bannerRole makes a screen reader read a banner at once that is not acknowledged.
func bannerRole(b Banner) string {
	if b.seen() {
		return "note"
	}
	return "alert"
}
