package main

import "strings"

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
	{"faces", "what people and programs see", "api wire cli web metrics picture sheet draw", "draw"},
	{"prove", "is it right, and how fast", "scenario stage simulate backtest bench judge chaos demo trace kubetest walls prose house oracle", "judge"},
	{"clusters", "the world outside", "kube link", ""},
	{"answer", "questions about state and log", "explain whatif forecast past view words fleetfile yamlfile", "explain whatif forecast past"},
	{"run", "one writer, a durable log, effects", "engine journal driver notify compact wholefile", ""},
	{"decide", "state + command → events", "core placement promise health haircut invariant", "core placement promise health haircut invariant"},
	{"state", "nouns and facts", "fleet event text", "fleet event text"},
}

// stays are the rooms that a command passes on its way, in order.
var stays = map[string]int{"faces/api": 1, "run/engine": 2, "decide/core": 3, "run/journal": 4, "run/driver": 5, "clusters/kube": 6}

const (
	floorHeight = 84
	roomsFrom   = 250
)

// house shows the floors with their rooms, and how a command travels through them.
func house() []byte {
	c := newCanvas(1000, 60+len(floors)*floorHeight+96, "Eight floors, from state at the bottom to server at the top, with their rooms. "+
		"A command goes from faces/api to run/engine, which asks decide/core, writes run/journal and then lets run/driver act on clusters/kube.")
	c.text("head", 20, 32, "Eight floors: a room imports rooms below it")
	for i, f := range floors {
		c.floor(50+i*floorHeight, f)
	}
	y := 50 + len(floors)*floorHeight + 26
	c.text("name", 20, y, "How a command travels")
	for i, words := range []string{"checked and translated", "one writer takes it up", "decided: events, or a refusal", "made durable, then answered", "handed to the cluster's driver", "carried out; reports come back"} {
		x, below := 230+i%3*250, y-5+i/3*30
		c.dot(x, below, i+1)
		c.text("says", x+18, below+5, words)
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
	x, line := roomsFrom, 0
	for name := range strings.FieldsSeq(f.rooms) {
		wide := 24 + 9*len(name)
		if x+wide > 980 {
			x, line = roomsFrom, line+1
		}
		top := y + 23 + line*33
		if strings.Contains(f.rooms, "walls") {
			top = y + 8 + line*33
		}
		c.room(f, name, x, top, wide)
		x += wide + 14
	}
}

// room draws one room, with its number where a command passes it.
func (c *canvas) room(f floor, name string, x, y, wide int) {
	class := "card"
	if strings.Contains(" "+f.pure+" ", " "+name+" ") {
		class = "pure"
	}
	c.add(`<rect class="%s" x="%d" y="%d" width="%d" height="28" rx="6"/>`, class, x, y, wide)
	c.centred("says", x+wide/2, y+19, name)
	if n := stays[f.name+"/"+name]; n > 0 {
		c.dot(x+wide, y, n)
	}
}
