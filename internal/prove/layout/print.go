package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// shown is how many of the worst are listed.
const shown = 10

// write says what was measured.
func write(w io.Writer, rooms []room) {
	tops := top(rooms)
	fmt.Fprintf(w, "%d rooms; %d names directly under internal/: %s\n", len(rooms), len(tops), strings.Join(tops, " "))
	if slices.Contains(tops, floors[0]) {
		list(w, "imports against the floors", againstFloors(rooms))
	} else {
		fmt.Fprintln(w, "\nimports against the floors: there are no floors")
	}
	list(w, "exported names of a room", exported(rooms))
	list(w, fmt.Sprintf("types with more than %d fields", manyFields), wide(rooms))
	list(w, fmt.Sprintf("files over %d lines", longFile), sized(rooms, func(n int) bool { return n > longFile }))
	short := sized(rooms, func(n int) bool { return n < shortFile })
	slices.Reverse(short)
	list(w, fmt.Sprintf("files under %d lines", shortFile), short)
	lengths := functions(rooms)
	if n := len(lengths); n > 0 {
		fmt.Fprintf(w, "\nfunctions: %d, median %d lines, longest %d\n", n, lengths[n/2], lengths[n-1])
	}
	fmt.Fprintf(w, "\n%-40s %6s %6s %7s %7s  %s\n", "room", "lines", "files", "arrows", "upward", "circles of files")
	for _, r := range rooms {
		inside(w, r)
	}
}

// list writes a heading with how many there are, and the first of them.
func list[T any](w io.Writer, heading string, found []T) {
	fmt.Fprintf(w, "\n%s: %d\n", heading, len(found))
	for i, f := range found {
		if i == shown {
			break
		}
		fmt.Fprintf(w, "  %v\n", f)
	}
}

// climbs writes the arrows of one room that run upward, with the names that draw each.
func climbs(w io.Writer, r room) {
	by := named(r)
	for _, a := range against(len(r.files), arrows(r)) {
		fmt.Fprintf(w, "%s -> %s: %s\n", r.files[a.from].name, r.files[a.to].name, strings.Join(by[a], " "))
	}
}

// inside writes the row of one room.
func inside(w io.Writer, r room) {
	a := arrows(r)
	fmt.Fprintf(w, "%-40s %6d %6d %7d %7d  %v\n", r.folder, r.lines(), len(r.files), len(a), upward(len(r.files), a), circles(len(r.files), a))
}
