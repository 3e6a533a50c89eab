package run

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// view is what the page "Can I run?" shows.
type view struct {
	v       *frame.Visit
	ask     form
	asked   bool
	wrong   string // what is wrong with what was asked
	places  []*musterv1.Place
	missed  bool
	search  *durationpb.Duration // how long to search; nil: as long as usual
	longer  *durationpb.Duration // how long to search next; nil: all was looked at, or no longer may be
	cards   []card
	more    int // targets that are not drawn
	command string
	spec    *musterv1.FitSpec
}

// form is the form.
type form struct {
	namespace, target, partition, priority, reach, hours string
	replicas, gpus, bears                                string
}

// card is one target in one partition, with its staircase.
type card struct {
	target, partition string
	path              string
	stairs            draw.SVG
	free, largest     int
	borrow, waiting   int
	reserved          int
	backed            int
	flex              bool
	door              words.Unlisted
	next              string
}

// most targets that are drawn at once.
const mostCards = 24

// Page says what could start now, and where and when a given shape would.
func Page(v *frame.Visit) (frame.Page, error) {
	q := v.Request.URL.Query()
	m := view{v: v, ask: form{
		namespace: q.Get("namespace"), target: q.Get("target"), partition: q.Get("partition"), priority: q.Get("priority"), reach: q.Get("reach"),
		hours: q.Get("hours"), replicas: q.Get("replicas"), gpus: q.Get("gpus"), bears: q.Get("bears"),
	}}
	if m.ask.namespace == "" {
		m.ask.namespace = v.Reader()
	}
	m.asked = m.ask.gpus != ""
	m.command = words.Shell("muster", "free", "-n", m.ask.namespace)
	if m.asked {
		spec, command, wrong := m.ask.spec()
		if m.spec = spec; wrong != nil {
			m.wrong = wrong.Error()
		} else {
			m.command = command
		}
	}
	switch v.Request.URL.Path {
	case placesPath:
		m.search = parts.Search(q)
		err := m.fit()
		return frame.Page{Part: true, Body: placesBody(m)}, err
	case stairsPath:
		u, err := v.Capacity.Usable(v.Ctx, &musterv1.UsableRequest{AsOf: v.AsOf, Namespace: m.ask.namespace, Scope: m.ask.partition})
		if err == nil {
			m.cardsOf(u)
		}
		return frame.Page{Part: true, Body: stairsBody(m)}, err
	}
	if m.ask.partition != "" && m.wrong == "" {
		m.wrong = noPartition(v, m.ask.partition)
	}
	return frame.Page{
		Title: "Can I run?", Nav: "run", Command: m.command, Body: body(m),
		Lead: "How many gangs of each size could start now, for each target that you may use. Solid: by quota. Hatched: on flex as well.",
	}, nil
}

// The parts of the page that take longer than a page may.
const (
	placesPath = "/part/places"
	stairsPath = "/part/stairs"
)

// noPartition says why a partition cannot be asked about; "" where it can.
func noPartition(v *frame.Visit, id string) string {
	_, err := v.Capacity.Free(v.Ctx, &musterv1.FreeRequest{AsOf: v.AsOf, Scope: id})
	return frame.Explain(err)
}

// part is the address of a part that answers what this page was asked.
func (m view) part(path string) string {
	u := url.URL{Path: path, RawQuery: m.v.Request.URL.RawQuery}
	return u.String()
}

// submits is the command that submits what was asked about, to the first place where it starts.
func (m view) submits() string {
	s := strings.Replace(m.command, "muster fit", "muster submit --name NAME", 1)
	if m.ask.bears != "" {
		s += " " + words.Shell("--bears-freeze", m.ask.bears)
	}
	for _, p := range m.places {
		if p.GetOutcome() == "starts" && m.ask.target == "" {
			return s + " " + words.Shell("--target", p.GetTarget())
		}
	}
	return s
}

// fit asks as `muster fit` does.
func (m *view) fit() error {
	f, err := m.v.Workloads.Fit(m.v.Ctx, &musterv1.FitRequest{AsOf: m.v.AsOf, Spec: m.spec, Patient: true, Search: m.search})
	var ce *connect.Error
	if errors.As(err, &ce) && (ce.Code() == connect.CodeInvalidArgument || ce.Code() == connect.CodeNotFound || ce.Code() == connect.CodeFailedPrecondition) {
		m.wrong = frame.Explain(err)
		return nil
	}
	if err != nil {
		return err
	}
	m.places, m.missed, m.longer = f.GetPlaces(), f.GetMissed(), f.GetLonger()
	return nil
}

// stopped says whether the search stopped before the start at each place was known.
func (m view) stopped() bool {
	return slices.ContainsFunc(m.places, func(p *musterv1.Place) bool { return p.GetForecast().GetSearch() != nil })
}

// spec reads the form, and says the command that asks the same.
func (a form) spec() (*musterv1.FitSpec, string, error) {
	count := func(word, name string) (int32, error) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 1_000_000 {
			return 0, frame.Wrong(name, frame.Unfit(word, "a whole number from 1 to 1,000,000", "one such as 8"))
		}
		return int32(n), nil
	}
	replicas := a.replicas
	if replicas == "" {
		replicas = "1"
	}
	r, err := count(replicas, "Nodes or replicas")
	if err != nil {
		return nil, "", err
	}
	g, err := count(a.gpus, "GPUs of each")
	if err != nil {
		return nil, "", err
	}
	spec := &musterv1.FitSpec{Namespace: a.namespace, Target: a.target, Partition: a.partition, Priority: a.priority}
	pool := &musterv1.Pool{Name: "main", Replicas: r, Gpus: g, Reach: a.reach}
	spec.Pools = []*musterv1.Pool{pool}
	shape := parts.Plain(int(r)) + "x" + parts.Plain(int(g))
	command := []string{"muster", "fit", "--gang", shape}
	if a.reach != "" {
		command = []string{"muster", "fit", "--pool", "main=" + shape + ",reach=" + a.reach}
	}
	command = append(command, "-n", a.namespace)
	for _, flag := range [][2]string{{"--target", a.target}, {"--partition", a.partition}, {"--priority", a.priority}} {
		if flag[1] != "" {
			command = append(command, flag[0], flag[1])
		}
	}
	if a.hours != "" {
		h, err := strconv.ParseFloat(a.hours, 64)
		if err != nil || h <= 0 || h > 24*365 {
			return nil, "", frame.Wrong("Hours at most", frame.Unfit(a.hours, "a number of hours above 0 and up to a year", "one such as 4 or 0.5"))
		}
		spec.MaxRuntime = durationpb.New(time.Duration(h * float64(time.Hour)))
		command = append(command, "--max-runtime", a.hours+"h")
	}
	if d, err := time.ParseDuration(cmp.Or(a.bears, "0s")); err != nil || d < 0 {
		return nil, "", frame.Wrong("Bears a freeze of", frame.Unfit(a.bears, "a length of time", "one such as 30s or 2m"))
	}
	return spec, words.Shell(command...), nil
}

// cardsOf draws a staircase for each target.
func (m *view) cardsOf(u *musterv1.UsableResponse) {
	for _, one := range picture.Staircases(u) {
		if m.ask.target != "" && one.Target != m.ask.target {
			continue
		}
		if len(m.cards) == mostCards {
			m.more++
			continue
		}
		m.cards = append(m.cards, m.cardOf(one))
	}
}

func (m *view) cardOf(s picture.Staircase) card {
	c := card{
		target: s.Target, partition: s.Partition, stairs: s.Draw("st" + parts.Plain(len(m.cards))), flex: s.Flex != nil,
		path: m.v.To("/queue", "target", s.Target, "partition", s.Partition),
	}
	if f := s.Flex; f != nil {
		c.free, c.largest, c.waiting, c.backed = int(f.GetFree()), int(f.GetLargestGang()), int(f.GetWaiting()), int(f.GetFlex())
		c.next, c.reserved = m.next(f.GetNext(), f.GetNextWhat(), f.GetStartsNothing()), int(f.GetReserved())
		return c
	}
	q := s.Quota
	c.free, c.largest, c.waiting, c.backed = int(q.GetFree()), int(q.GetLargestGang()), int(q.GetWaiting()), int(q.GetBacked())
	c.door = words.UnlistedOf(q)
	c.reserved = int(q.GetReserved())
	c.borrow, c.next = int(q.GetBorrow()), m.next(q.GetNext(), q.GetNextWhat(), q.GetStartsNothing())
	return c
}

// next says what is known to change next, or why nothing starts now.
func (m *view) next(at *timestamppb.Timestamp, what, nothing string) string {
	if nothing != "" {
		return "Nothing new starts there: " + nothing + "."
	}
	if at == nil {
		return "No next change is known."
	}
	return "Next change " + parts.Clock(at.AsTime(), m.v.Now) + " (in " + parts.Lasted(at.AsTime().Sub(m.v.At())) + "): " + what
}

// reservedText says of GPUs that are reserved that they are not free.
func reservedText(n int) string {
	if n == 1 {
		return "It is not counted as free."
	}
	return "They are not counted as free."
}

// waitBefore says what those do whose number stands before it.
func waitBefore(n int) string {
	if n == 1 {
		return " workload waits ahead of you, and starts first if it fits."
	}
	return " workloads wait ahead of you, and start first if they fit."
}

// outcome is what would come of the shape there, in a word.
func outcome(p *musterv1.Place) string {
	if p.GetAnswer() == "impossible" {
		return "impossible"
	}
	return p.GetOutcome()
}

// starts says in words when a place would start a workload.
func (m view) starts(p *musterv1.Place) string {
	switch p.GetOutcome() {
	case "starts":
		at := p.GetStart().GetAt().AsTime()
		if !at.After(m.v.At().Add(time.Second)) {
			return "now"
		}
		return "within " + parts.Lasted(at.Sub(m.v.At())+time.Second)
	case "refused":
		return "refused"
	}
	if p.GetAnswer() == "impossible" {
		return "will not start by waiting"
	}
	if f := p.GetForecast(); f.GetKnown() {
		if f.GetP50().AsTime().Equal(f.GetP90().AsTime()) {
			return "by " + parts.Clock(f.GetP90().AsTime(), m.v.Now) + " (p90)"
		}
		return "by " + parts.Clock(f.GetP50().AsTime(), m.v.Now) + " (p50), by " + parts.Clock(f.GetP90().AsTime(), m.v.Now) + " (p90)"
	}
	return "not known"
}

// mostEvicted is how many of those that leave for a start are named.
const mostEvicted = 6

// evictions says which work leaves for a start.
func evictions(st *musterv1.Start) string {
	if gone := words.Work(st.GetEvicts(), st.GetEvictsOthers(), mostEvicted); gone != "" {
		return "evicts " + gone
	}
	return "no eviction"
}

// unknown says why it is not known when a place would start a workload; "" where it is.
func unknown(p *musterv1.Place) string {
	if f := p.GetForecast(); p.GetOutcome() == "waits" && p.GetAnswer() != "impossible" && !f.GetKnown() && len(f.GetUnknown()) > 0 {
		return f.GetUnknown()[0].GetText()
	}
	return ""
}
