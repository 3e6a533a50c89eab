package main

import (
	"slices"
	"strings"
)

// floor is one floor of the house.
type floor struct {
	name  string
	says  string
	rooms string // folders under internal/NAME, in the order in which they are drawn
	pure  string // those of them that decide or answer without any effect
}

// floors of the house, from the top down.
var floors = []floor{
	{"server", "wiring; cmd/muster is its main", "", ""},
	{"faces", "what people and programs see", "api wire cli web signin metrics calendar picture sheet draw", "draw"},
	{"prove", "is it right, and how fast", "scenario stage simulate backtest bench siege judge chaos demo trace kubetest tofutest testmodule compare walls prose layout oracle mutate sbom buildstudy", "judge"},
	{"clusters", "the world outside", "kube link", ""},
	{"answer", "questions about state and log", "explain whatif forecast past view words reason recurrence clusterlife retain fleetfile yamlfile", "explain whatif forecast past view reason clusterlife"},
	{"run", "one writer, a durable log, effects", "engine journal keys audit driver provision executor notify gate compact wholefile", ""},
	{"decide", "state + command → events", "core placement promise health haircut invariant access maintenance buildout", "core placement promise health haircut invariant access maintenance buildout"},
	{"state", "nouns and facts", "fleet event text", "fleet event text"},
}

// stays are what happens to a command on its way, in order, and in which rooms.
var stays = []struct{ rooms, says string }{
	{"faces/api", "checked and translated"},
	{"run/engine", "one writer takes it up"},
	{"decide/core", "decided: events, or a refusal"},
	{"run/journal", "made durable"},
	{"run/driver clusters/kube", "clusters are told or woken"},
	{"faces/api", "the caller is answered"},
}

const (
	floorHeight = 84
	roomsFrom   = 250
	roomsTo     = 980
	roomGap     = 14
)

// house shows the floors with their rooms, and how a command travels through them.
func house() []byte {
	c := newCanvas(1000, 60+len(floors)*floorHeight+96, "Eight floors, from state at the bottom to server at the top, with their rooms. "+
		"A command goes from faces/api to run/engine, which asks decide/core, writes run/journal, tells run/driver or wakes clusters/kube, and then answers through faces/api.")
	c.text("head", 20, 32, "Eight floors: a room imports rooms below it")
	for i, f := range floors {
		c.floor(50+i*floorHeight, f)
	}
	y := 50 + len(floors)*floorHeight + 26
	c.text("name", 20, y, "How a command travels")
	for i, stay := range stays {
		x, below := 230+i%3*250, y-5+i/3*30
		c.dot(x, below, i+1)
		c.text("says", x+18, below+5, stay.says)
	}
	c.add(`<rect class="pure" x="20" y="%d" width="18" height="14" rx="3"/>`, y+42)
	c.text("quiet", 46, y+54, "pure: no clock, no randomness, no I/O, no goroutine, no logger")
	return c.done()
}

// floor draws one floor at a height.
func (c *canvas) floor(y int, f floor) {
	c.add(`<rect class="floor" x="10" y="%d" width="980" height="%d" rx="8"/>`, y, floorHeight-8)
	c.text("name", 24, y+32, f.name)
	c.text("quiet", 24, y+53, f.says)
	top := y + 23
	if twoLines(f) {
		top = y + 8
	}
	x := roomsFrom
	for name := range strings.FieldsSeq(f.rooms) {
		wide := width(name)
		if x+wide > roomsTo {
			x, top = roomsFrom, top+33
		}
		c.room(f, name, x, top, wide)
		x += wide + roomGap
	}
}

// width is how wide a room is drawn.
func width(room string) int { return 24 + 9*len(room) }

// twoLines says whether the rooms of a floor do not fit into one line.
func twoLines(f floor) bool {
	x := roomsFrom - roomGap
	for name := range strings.FieldsSeq(f.rooms) {
		x += roomGap + width(name)
	}
	return x > roomsTo
}

// room draws one room, with its numbers where a command passes it.
func (c *canvas) room(f floor, name string, x, y, wide int) {
	class := "card"
	if strings.Contains(" "+f.pure+" ", " "+name+" ") {
		class = "pure"
	}
	c.add(`<rect class="%s" x="%d" y="%d" width="%d" height="28" rx="6"/>`, class, x, y, wide)
	c.centred("says", x+wide/2, y+19, name)
	corner := y // the upper one; a second number stands at the lower one
	for i, stay := range stays {
		if slices.Contains(strings.Fields(stay.rooms), f.name+"/"+name) {
			c.dot(x+wide, corner, i+1)
			corner += 28
		}
	}
}
