package change

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// A refusal names a field by the label that its reader sees, says what is wrong there, and what would be right.

// unfilled is what is wrong with fields whatever the API says: one that may not be empty is, or one holds none of its
// choices.
func (act action) unfilled(f values) map[string]string {
	faults := map[string]string{}
	for _, one := range act.fields {
		if what := one.lacks(f[one.name]); what != "" {
			faults[one.name] = what
		}
	}
	return faults
}

// lacks is what is wrong with the value of a field, before it is read; "": nothing is.
func (f field) lacks(value string) string {
	none := slices.IndexFunc(f.choices, func(c choice) bool { return c.value == value }) < 0
	switch {
	case len(f.choices) > 0 && none && (value != "" || f.must):
		return frame.Unfit(value, "one of its choices", f.anyChoice())
	case f.must && value == "":
		return frame.Unfit(value, "", f.instead())
	}
	return ""
}

// instead is what to write into a field that is empty: its sample is an example.
func (f field) instead() string {
	if f.sample == "" {
		return "what it is about"
	}
	return "one such as " + f.sample
}

// anyChoice lists what a field may hold.
func (f field) anyChoice() string {
	var list []string
	for _, c := range f.choices {
		if c.value != "" {
			list = append(list, c.value)
		}
	}
	return words.Or(list)
}

// list says faults in one go, in the order of the form's fields.
func (act action) list(faults map[string]string) string {
	var all []string
	for _, f := range act.fields {
		if what := faults[f.name]; what != "" {
			all = append(all, f.label+": "+what)
		}
	}
	return strings.Join(all, "; ")
}

// faultsOf is what an error has against the form's fields.
func (act action) faultsOf(err error) map[string]string {
	places, list := frame.Places(err), map[string]string{}
	for _, f := range act.fields {
		if what := cmp.Or(places[cmp.Or(f.sets, f.name)], places[f.name]); what != "" {
			list[f.name] = what
		}
	}
	return list
}

// refusal is an error in the words of the form. What it has against places that are no field of the form comes last.
func (act action) refusal(err error) string {
	faults := act.faultsOf(err)
	if len(faults) == 0 {
		return frame.Explain(err)
	}
	places := frame.Places(err)
	for _, f := range act.fields {
		delete(places, cmp.Or(f.sets, f.name))
		delete(places, f.name)
	}
	all := []string{act.list(faults)}
	for _, place := range slices.Sorted(maps.Keys(places)) {
		all = append(all, frame.Label(place)+": "+places[place])
	}
	return strings.Join(all, "; ")
}

// named is an error with the labels of the form, where it is about fields of it.
func (act action) named(err error) error {
	if len(act.faultsOf(err)) == 0 {
		return err
	}
	return frame.Wrong("", act.refusal(err))
}
