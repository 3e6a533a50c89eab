package walls

import (
	"os"
	"strings"
	"testing"
)

// house parses the whole module, from the root that go test's working folder implies.
func house(t *testing.T) []source {
	t.Helper()
	sources, err := survey(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(folders(sources)) < 2 {
		t.Fatalf("found only %v: this test does not see the house", folders(sources))
	}
	return sources
}

func report(t *testing.T, breaches []breach) {
	t.Helper()
	for _, b := range breaches {
		t.Error(b)
	}
}

func TestEveryFolderIsARoomOfTheTable(t *testing.T) {
	report(t, unknownRooms(rooms, house(t)))
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	report(t, forbiddenImports(rooms, house(t)))
}

func TestPureRoomsArePure(t *testing.T) {
	report(t, impurities(rooms, house(t)))
}

// The table's words must mean something: a name that no row has would allow nothing, silently.
func TestTheTableNamesOnlyItsOwnRooms(t *testing.T) {
	names := map[string]bool{anything: true, nothing: true}
	for _, r := range rooms {
		if names[r.name()] {
			t.Errorf("two rows are called %s", r.name())
		}
		names[r.name()] = true
	}
	for _, r := range rooms {
		for _, name := range strings.Fields(r.may + " " + r.only + " " + r.tests) {
			if !names[name] {
				t.Errorf("%s may import %s, which no row is called", r.folder, name)
			}
		}
	}
}

// The picture of the house in the docs shows every room that stands.
func TestEveryRoomIsInTheArchitecture(t *testing.T) {
	text, err := os.ReadFile("../../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders(house(t)) {
		r, ok := roomOf(rooms, folder)
		if ok && !strings.Contains(string(text), "`"+strings.TrimSuffix(r.folder, "/...")) {
			t.Errorf("docs/architecture.md does not say what lives in %s: add a row to its table of rooms", r.folder)
		}
	}
}

// A floor's doc.go names every room that stands on it.
func TestFloorsNameTheirRooms(t *testing.T) {
	for _, folder := range folders(house(t)) {
		floor, name, inside := strings.Cut(strings.TrimPrefix(folder, "internal/"), "/")
		if !inside || !strings.HasPrefix(folder, "internal/") || strings.Contains(name, "/") {
			continue
		}
		text, err := os.ReadFile("../../../internal/" + floor + "/doc.go")
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(text), name) {
			t.Errorf("internal/%s/doc.go does not name %s: add a line that says what lives there", floor, name)
		}
	}
}
