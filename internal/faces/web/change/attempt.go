package change

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// attempt is one try at an action, for real or dry. Reading a field that is wrong notes what
// is wrong; send then sends nothing.
type attempt struct {
	v      *frame.Visit
	fields []field
	values values
	write  *musterv1.Write
	faults map[string]string // what is wrong, by fields
}

func (a *attempt) text(name string) string { return a.values[name] }

func (a *attempt) yes(name string) bool { return a.values[name] != "" }

// list reads names with spaces or commas between them.
func (a *attempt) list(name string) []string {
	return strings.FieldsFunc(a.values[name], func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' || r == '\t' })
}

// number reads a whole number.
func (a *attempt) number(name string) int32 {
	n, err := strconv.ParseInt(strings.ReplaceAll(a.values[name], ",", ""), 10, 32)
	switch {
	case errors.Is(err, strconv.ErrRange) && n > 0:
		a.fault(name, fmt.Sprintf("%.60q is too large; write a whole number such as %s", a.values[name], a.example(name, "64")))
	case err != nil || n < 0:
		a.unfit(name, "a whole number of 0 or more", "one such as "+a.example(name, "64"))
	}
	return int32(n)
}

// grant reads how large a grant is to be; none: it ends.
func (a *attempt) grant(name string) (gpus int32, none bool) {
	if a.values[name] == "none" {
		return 0, true
	}
	return a.number(name), false
}

// id reads the number of a thing, as lists show it.
func (a *attempt) id(name string) uint64 {
	n := frame.Number(a.values[name])
	if n == 0 {
		a.unfit(name, "the number of one", "the number that lists show, such as 3")
	}
	return n
}

// maybe reads a number that may be left out.
func (a *attempt) maybe(name string) *int32 {
	if a.values[name] == "" {
		return nil
	}
	n := a.number(name)
	return &n
}

// share reads a percentage as a share from 0 to 1, in whole thousandths.
func (a *attempt) share(name string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(a.values[name], "%")), 64)
	if err != nil || n < 0 || n > 100 {
		a.unfit(name, "a share from 0 to 100 %", "one such as 15")
	}
	return float64(int(n*10+0.5)) / 1000
}

// until reads a moment to come: a day, a date, a time, or so long from now (friday, 7d, 12h).
func (a *attempt) until(name string) *timestamppb.Timestamp { return a.untilIn(name, time.UTC) }

// untilIn is until with days and times of a time zone.
func (a *attempt) untilIn(name string, zone *time.Location) *timestamppb.Timestamp {
	word, utc := strings.CutSuffix(a.values[name], " UTC")
	if utc {
		zone = time.UTC
	}
	at, ok := words.Ahead(word, a.v.Now, zone)
	switch wrong := words.WrongAhead(word, a.v.Now, zone); {
	case !ok && wrong != "":
		a.fault(name, fmt.Sprintf("%.60q %s; write a moment to come, such as %s", a.values[name], wrong, words.AheadExamples))
	case !ok:
		a.unfit(name, "a moment to come", words.AheadExamples)
	case !at.After(a.v.Now):
		a.fault(name, fmt.Sprintf("%.60q is in the past; write a moment to come, such as %s", a.values[name], words.AheadExamples))
	}
	return timestamppb.New(at)
}

// maybeUntil reads a moment to come that may be left out.
func (a *attempt) maybeUntil(name string) *timestamppb.Timestamp {
	switch a.values[name] {
	case "":
		return nil
	case "now":
		return timestamppb.New(a.v.Now) // what was given for a time ends
	}
	return a.until(name)
}

// fault notes what is wrong with a field: the first that is.
func (a *attempt) fault(name, what string) {
	if a.faults[name] != "" {
		return
	}
	if a.faults == nil {
		a.faults = map[string]string{}
	}
	a.faults[name] = what
}

// unfit notes that the value of a field is not something, and what to write instead.
func (a *attempt) unfit(name, something, instead string) {
	a.fault(name, frame.Unfit(a.values[name], something, instead))
}

// example is the number that a field shows as its example; other where it shows none.
func (a *attempt) example(name, other string) string {
	for _, f := range a.fields {
		if _, err := strconv.Atoi(f.sample); f.name == name && err == nil {
			return f.sample
		}
	}
	return other
}

// answer is what every change is answered with.
type answer interface{ GetWritten() *musterv1.Written }

// send calls the API, unless a field was wrong.
func send[M any, A answer](a *attempt, call func(context.Context, *M) (A, error), m *M) (*musterv1.Written, error) {
	if len(a.faults) > 0 {
		return nil, frame.WrongFields(a.faults)
	}
	r, err := call(a.v.Ctx, m)
	if err != nil {
		return nil, err
	}
	return r.GetWritten(), nil
}

// job is the namespace and the name of a workload.
func (a *attempt) job(name string) (namespace, job string) {
	namespace, job, ok := strings.Cut(a.values[name], "/")
	if !ok || namespace == "" || job == "" {
		a.unfit(name, "NAMESPACE/NAME", "it as in oak/pretrain-1")
	}
	return namespace, job
}
