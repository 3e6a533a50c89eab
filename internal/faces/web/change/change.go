package change

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/web/events"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// action is one thing that a reader may do.
type action struct {
	name    string // in its address: /do/grant
	title   string
	says    string // what it does
	button  string
	danger  bool     // it takes something away
	roles   []string // who may do it besides operators; none: everybody may ask for it
	nav     string
	fields  []field
	do      func(a *attempt) (*musterv1.Written, error)
	command func(f values) []string // the same on the command line; nil: there is none
	back    func(f values) string   // where the reader goes when it is done
}

// field is one input of a form.
type field struct {
	name, label string
	hint        string // beside the label
	sample      string // an example, or what an empty field means
	choices     []choice
	check       bool   // a box to tick
	must        bool   // it may not be empty
	example     bool   // it may be empty, and the sample is an example, not what that means
	sets        string // the field of the message that it sets, where that has another name
	fixed       bool   // it names what the form is about: shown, not typed, where the address has it
}

// placeholder is what stands in an empty field. An example says that it is one: it looks like a value, or like what an empty field
// means, otherwise.
func (f field) placeholder() string {
	if (f.must || f.example) && f.sample != "" {
		return "such as " + f.sample
	}
	return f.sample
}

type choice struct{ value, text string }

// values are what a form or an address says, by field.
type values map[string]string

// view is the page of one action.
type view struct {
	v *frame.Visit
	action
	values  values
	tried   bool
	would   []string // what would happen, in sentences
	more    int      // sentences that are not shown
	notes   []string
	refused string
	faults  map[string]string // what is wrong with single fields, by their names
	now     []standing        // of the quotas that the form may be about, where it changes grants
}

// standing is how one grant stands now.
type standing struct {
	quota     string
	partition string
	*musterv1.Grant
}

// onTrial stands for the reason while a change is only tried: some changes need one.
const onTrial = "tried on a page"

// mostSentences is how many sentences say what a change would do.
const mostSentences = 40

// Page shows the form of an action and, once it is filled in, what it would change.
func Page(v *frame.Visit) (frame.Page, error) {
	act, ok := actionOf(v.Request.PathValue("action"))
	if !ok {
		return frame.Nowhere(v)
	}
	if v.AsOf != nil {
		return frame.Page{}, frame.Wrong("", "the past cannot be changed; take as-of out of the address")
	}
	m := view{v: v, action: act, values: act.read(v.Request.URL.Query())}
	m.now = m.standings()
	if m.tried = v.Query("try") != ""; m.tried {
		m.try()
	}
	p := frame.Page{Title: act.title, Nav: act.nav, Still: true, Lead: act.says, Body: body(m)}
	if m.complete() && m.refused == "" && act.command != nil {
		p.Command = words.Shell(append(act.command(m.values), "--reason", "…")...)
	}
	return p, nil
}

// mostStandings is how many grants a form lists.
const mostStandings = 60

// standings lists the grants that a form about grants may change, with their figures now: those
// of the partition that it names, or all.
func (m *view) standings() (list []standing) {
	if !slices.Contains([]string{"grant", "transfer", "request"}, m.name) {
		return nil
	}
	q, err := m.v.Quotas.ListQuotas(m.v.Ctx, &musterv1.ListQuotasRequest{})
	if err != nil {
		return nil // the form says what is wrong once it is sent
	}
	for _, one := range q.GetQuotas() {
		for _, g := range one.GetGrants() {
			if p := m.values["partition"]; (p == "" || p == g.GetPartition()) && len(list) < mostStandings {
				list = append(list, standing{one.GetPath(), g.GetPartition(), g})
			}
		}
	}
	return list
}

// leave is what the reader presses to do nothing: beside an action that cancels something, "Cancel" would be ambiguous.
func (m *view) leave() string {
	if strings.HasPrefix(m.button, "Cancel") {
		return "Keep it"
	}
	return "Cancel"
}

// try asks what the action would change, and changes nothing.
func (m *view) try() {
	if m.faults = m.unfilled(m.values); len(m.faults) > 0 {
		m.refused = m.list(m.faults)
		return
	}
	w, err := m.do(&attempt{v: m.v, fields: m.fields, values: m.values, write: &musterv1.Write{DryRun: true, Reason: onTrial}})
	if err != nil {
		m.refused, m.faults = m.refusal(err), m.faultsOf(err)
		return
	}
	for _, note := range w.GetNotes() {
		m.notes = append(m.notes, frame.InPageWords(note))
	}
	for _, s := range events.Sentences(m.v, words.Steps(w.GetEvents())) {
		m.would = append(m.would, strings.TrimSuffix(s, ": "+onTrial)) // the reader has given no reason yet
	}
	if len(m.would) > mostSentences {
		m.more, m.would = len(m.would)-mostSentences, m.would[:mostSentences]
	}
}

// Do does an action.
func Do(v *frame.Visit) (string, error) {
	act, ok := actionOf(v.Request.PathValue("action"))
	if !ok {
		return "", frame.Wrong("action", "is not one that pages can do")
	}
	w, err := v.Reasoned()
	if err != nil {
		return "", err
	}
	f := act.read(v.Request.PostForm)
	w.Propose = f[proposeField.name] != ""
	if faults := act.unfilled(f); len(faults) > 0 {
		return "", frame.Wrong("", act.list(faults))
	}
	done, err := act.do(&attempt{v: v, fields: act.fields, values: f, write: w})
	if err != nil {
		return "", act.named(err)
	}
	v.Say(strings.Join(append([]string{"Done: " + lower(act.title) + "."}, done.GetNotes()...), " "))
	return act.back(f), nil
}

// read takes the fields of an action out of a form or an address.
func (act action) read(form url.Values) values {
	f := values{}
	for _, one := range act.fields {
		f[one.name] = strings.TrimSpace(form.Get(one.name))
	}
	return f
}

// complete says whether every field that must be filled in is.
func (m view) complete() bool {
	for _, one := range m.fields {
		if one.must && m.values[one.name] == "" {
			return false
		}
	}
	return true
}

// marks tell a screen reader that a field is wrong, and where it says why.
func (m view) marks(f field) templ.Attributes {
	if m.faults[f.name] == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": faultID(f)}
}

func faultID(f field) string { return "fault-" + f.name }

// shown says whether a field is shown instead of typed.
func (m view) shown(f field) bool { return f.fixed && m.values[f.name] != "" }

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func actionOf(name string) (action, bool) {
	if name == "order" {
		name = "priority" // what a queue's order goes by
	}
	for _, one := range actions() {
		if one.name == name {
			return one, true
		}
	}
	return action{}, false
}

// actions are all changes that have a form.
func actions() []action {
	return slices.Concat(quotaActions, workActions, metalActions, maintenanceActions, buildActions, peopleActions)
}

// left says how many sentences are not shown.
func left(n int) string { return "and " + parts.Plain(n) + " more" }
