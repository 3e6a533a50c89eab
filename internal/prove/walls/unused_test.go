package walls

import (
	"slices"
	"strings"
	"testing"
)

// shared are lists that many rows have in common: a row need not use all of them.
var shared = []string{driven, forPages, pageRooms}

// A row allows what its room uses and no more: a wall that is wider than the code keeps nothing out.
func TestTheTableAllowsNoMoreThanIsUsed(t *testing.T) {
	used := map[string]map[string]bool{} // by folder: what files import, and with "tests " before it what tests do
	for _, s := range house(t) {
		from, ok := roomOf(rooms, s.folder)
		if !ok {
			continue
		}
		if used[from.folder] == nil {
			used[from.folder] = map[string]bool{}
		}
		for _, imp := range s.imports() {
			if folder, own := strings.CutPrefix(imp.path, module); own {
				if to, known := roomOf(rooms, folder); known {
					used[from.folder][kindOf(s)+to.name()] = true
				}
			}
		}
	}
	for _, r := range rooms {
		for _, name := range ownNames(r.may + " " + r.only) {
			if !used[r.folder][name] {
				t.Errorf("%s may import %s, and does not: take it out of its row, or put it under tests where only they use it", r.folder, name)
			}
		}
		for _, name := range ownNames(r.tests) {
			if !used[r.folder]["tests "+name] {
				t.Errorf("tests of %s may import %s, and do not: take it out of its row", r.folder, name)
			}
		}
	}
}

func kindOf(s source) string {
	if s.test {
		return "tests "
	}
	return ""
}

// ownNames are the names of a list without those of the shared ones.
func ownNames(list string) []string {
	for _, s := range shared {
		list = strings.ReplaceAll(list, s, "")
	}
	return slices.DeleteFunc(strings.Fields(list), func(name string) bool { return name == anything || name == nothing })
}
