package walls

import "strings"

// What to do when a wall stands in the way.
const (
	addRoom      = "add a row to internal/prove/walls/rooms_test.go (what kind of room, what it may import) and one to docs/architecture.md (what lives there), or put the code into a room that exists"
	askForLess   = "pass in what is needed as an argument or a small interface of this room; if the house itself should change, change rooms_test.go and docs/architecture.md together"
	standardOnly = "use the standard library, or move the code to an open room"
)

// unknownRooms reports folders with Go files that no row is responsible for.
func unknownRooms(rooms []room, sources []source) []breach {
	var found []breach
	for _, folder := range folders(sources) {
		if _, ok := roomOf(rooms, folder); !ok {
			found = append(found, breach{place: folder, says: "is a room that is not in the table", remedy: addRoom})
		}
	}
	return found
}

// forbiddenImports reports imports that lead through a wall.
func forbiddenImports(rooms []room, sources []source) []breach {
	var found []breach
	for _, s := range sources {
		from, ok := roomOf(rooms, s.folder)
		if !ok {
			continue // unknownRooms says it
		}
		for _, imp := range s.imports() {
			if b, bad := forbiddenImport(rooms, from, s, imp); bad {
				found = append(found, b)
			}
		}
	}
	return found
}

func forbiddenImport(rooms []room, from room, s source, imp imported) (breach, bool) {
	folder, own := strings.CutPrefix(imp.path, module)
	switch {
	case own:
		to, known := roomOf(rooms, folder)
		if known && from.mayImport(to, s.test) {
			return breach{}, false
		}
		return s.breach(imp.at, askForLess, "%s may not import %s", from.folder, folder), true
	case from.kind != open && !s.test && !standard(imp.path):
		return s.breach(imp.at, standardOnly, "%s may not import %s, which is outside the standard library", from.folder, imp.path), true
	}
	return breach{}, false
}

// standard says whether a path belongs to the standard library: its first part has no dot.
func standard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}
