package change

import "testing"

// Every form carries values of its own beside its fields. A field of the same name would be
// read in their place, or they in its.
func TestNoFieldHasTheNameOfWhatEveryFormCarries(t *testing.T) {
	taken := map[string]bool{"csrf": true, "key": true, "reason": true, "try": true}
	for _, a := range actions() {
		for _, f := range a.fields {
			if taken[f.name] {
				t.Errorf("%s has a field %q, which every form has", a.name, f.name)
			}
		}
	}
}
