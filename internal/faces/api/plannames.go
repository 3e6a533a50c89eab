package api

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// planNames hides from a caller the names of work that they may not read, in answers that carry a plan. Its figures and
// its quotas stay.
type planNames struct {
	state *fleet.State
	by    *caller
}

// unnamed hides in why a change is refused the names of work that the caller may not read. What the
// request itself names stays. The state is looked at only where there may be something to hide.
func (s *service) unnamed(ctx context.Context, m writeMessage, says string) string {
	by := callerOf(ctx)
	if by.readsAll() || !strings.Contains(says, "/") {
		return says
	}
	s.engine.Look(func(state *fleet.State) { says = planNames{state, by}.textBut(says, m) })
	return says
}

// unnamedError is unnamed for an error, if it is a refusal.
func (s *service) unnamedError(ctx context.Context, m writeMessage, err error) error {
	var refusal *core.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	hidden := *refusal
	hidden.Message = s.unnamed(ctx, m, refusal.Message)
	return &hidden
}

// haircut hides the names in a plan.
func (n planNames) haircut(h *musterv1.Haircut) *musterv1.Haircut {
	if n.by.readsAll() {
		return h
	}
	for _, w := range h.GetWaves() {
		n.parts(w.GetParts())
		w.Blocked, w.NeedsReason = n.text(w.GetBlocked()), n.text(w.GetNeedsReason())
		w.Gate = n.texts(w.GetGate())
	}
	n.parts(h.GetFit())
	return h
}

func (n planNames) parts(parts []*musterv1.HaircutPart) {
	for _, p := range parts {
		for _, list := range []*[]*musterv1.HaircutWork{&p.Unprotected, &p.Evicted, &p.Starts, &p.Known, &p.Requeued} {
			*list = n.works(*list)
		}
	}
}

// works are those that the caller may read, and one line for all others of each quota.
func (n planNames) works(list []*musterv1.HaircutWork) (shown []*musterv1.HaircutWork) {
	others, count := map[string]*musterv1.HaircutWork{}, map[string]int{}
	for _, w := range list {
		if n.may(w.GetWorkload()) {
			shown = append(shown, w)
			continue
		}
		one := others[w.GetQuota()]
		if one == nil {
			one = &musterv1.HaircutWork{Quota: w.GetQuota()}
			others[w.GetQuota()], shown = one, append(shown, one)
		}
		count[w.GetQuota()]++
		one.Workload, one.Gpus = text.OfOthers(count[w.GetQuota()]), one.GetGpus()+w.GetGpus()
	}
	return shown
}

// may says whether the caller may read a workload by its namespace and name.
func (n planNames) may(full string) bool {
	namespace, name, _ := strings.Cut(full, "/")
	return n.by.readsAll() || n.by.seesNamed(n.state, namespace, name)
}

// name is what a workload is called to the caller.
func (n planNames) name(full string) string {
	if n.may(full) {
		return full
	}
	return text.OfOthers(1)
}

func (n planNames) texts(list []string) []string {
	for i, one := range list {
		list[i] = n.text(one)
	}
	return list
}

// text hides names in what is said of a plan: what stands there with a slash, and is the name of a workload that there
// is.
func (n planNames) text(says string) string { return n.textBut(says, nil) }

// textBut is text, in which names stay that were asked about.
func (n planNames) textBut(says string, asked proto.Message) string {
	var out strings.Builder
	for len(says) > 0 {
		end := strings.IndexFunc(says, outsideNames)
		if end < 0 {
			end = len(says)
		}
		out.WriteString(n.word(says[:end], asked))
		next := strings.IndexFunc(says[end:], func(r rune) bool { return !outsideNames(r) })
		if next < 0 {
			next = len(says) - end
		}
		out.WriteString(says[end : end+next])
		says = says[end+next:]
	}
	return out.String()
}

// word hides a word if it is such a name. The sentence may go on with a point or a colon that is none of the name.
func (n planNames) word(word string, asked proto.Message) string {
	for _, full := range []string{word, strings.TrimRight(word, ".:")} {
		namespace, name, two := strings.Cut(full, "/")
		if two && n.state.Workload(namespace, name) != nil && (asked == nil || !namesWorkload(asked.ProtoReflect(), namespace, name)) {
			return n.name(full) + word[len(full):]
		}
	}
	return word
}

// namesWorkload says whether a request, or a part of it, is about a workload: by the fields that name one. What stands in
// a reason, a key or a path is a guess, which no answer confirms.
func namesWorkload(m protoreflect.Message, namespace, name string) (is bool) {
	of := func(field protoreflect.Name) string {
		if f := m.Descriptor().Fields().ByName(field); f != nil && f.Kind() == protoreflect.StringKind && !f.IsList() {
			return m.Get(f).String()
		}
		return ""
	}
	in := of("namespace")
	if in == namespace && (of("name") == name || of("workload") == name) || of("workload") == namespace+"/"+name {
		return true
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Kind() != protoreflect.MessageKind || f.IsMap(): // no request has one
		case f.IsList():
			for i := 0; i < v.List().Len() && !is; i++ {
				is = namesWorkload(v.List().Get(i).Message(), namespace, name)
			}
		default:
			is = namesWorkload(v.Message(), namespace, name)
		}
		return !is
	})
	return is
}

// outsideNames says which characters are part of no name.
func outsideNames(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._:+@-/", r)
}
