package walls

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The drawing in a floor's doc.go is its indented lines. A line begins with the rooms that
// it is about; a second room on it is followed by a rule.
var (
	roomsOfLine = regexp.MustCompile(`^[ │├└─]*([a-z]+\*?(?:, [a-z]+\*?)*)(?: ─|  |$)`)
	ruledRoom   = regexp.MustCompile(`([a-z]+) ─`)
)

// drawnRooms are the rooms that the drawing of a doc.go names.
func drawnRooms(text string) (names []string) {
	for line := range strings.Lines(text) {
		drawn, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "//\t")
		if !ok {
			continue
		}
		if m := roomsOfLine.FindStringSubmatch(drawn); m != nil {
			names = append(names, strings.Split(strings.ReplaceAll(m[1], "*", ""), ", ")...)
		}
		for _, m := range ruledRoom.FindAllStringSubmatch(drawn, -1) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// standsOn says whether a room of that name is somewhere on the floor.
func standsOn(floor, name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return strings.HasPrefix(folder, "internal/"+floor+"/") && path.Base(folder) == name
	})
}

// A floor's doc.go draws no room that has another name by now, or is gone.
func TestFloorsDrawOnlyRoomsThatStand(t *testing.T) {
	folders := folders(house(t))
	for _, floor := range floors {
		text := docOf(t, floor)
		drawn := drawnRooms(text)
		if len(drawn) == 0 && floor != "server" {
			t.Errorf("internal/%s/doc.go draws no room: indent its lines by a tab", floor)
		}
		for _, name := range drawn {
			if !standsOn(floor, name, folders) {
				t.Errorf("internal/%s/doc.go draws %s, and no room there has that name", floor, name)
			}
		}
	}
}

func TestADrawingNamesItsRooms(t *testing.T) {
	got := drawnRooms("// Package a. It has no code.\n//\n//\tapi ──── one port      web ──── pages\n//\t ├── one, two*   what they do\n//\tthree\n// four  is text\npackage a\n")
	if want := []string{"api", "one", "three", "two", "web"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// The doc.go of the pages names the folder of each.
func TestThePagesNameTheirFolders(t *testing.T) {
	text := docOf(t, "faces/web")
	for _, page := range strings.Fields(pageRooms) {
		if !regexp.MustCompile(`\b` + path.Base(page) + `\b`).MatchString(text) {
			t.Errorf("internal/faces/web/doc.go does not name %s: add it to the list of pages", path.Base(page))
		}
	}
}

func docOf(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile("../../../internal/" + folder + "/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
