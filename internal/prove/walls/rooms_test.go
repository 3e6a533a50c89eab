package walls

import (
	"slices"
	"strings"
)

// kind says how much of the world a room may know.
type kind int

const (
	// pure rooms decide: the harmless part of the standard library, no effects
	// of any sort (purity_test.go).
	pure kind = iota
	// plain rooms may have effects, but need nothing beyond the standard library.
	plain
	// open rooms may use any module of go.mod.
	open
)

// anything stands for "every room" in the column of imports.
const anything = "anything"

// floors of the house, from the ground up: folders under internal/. A room
// imports its own floor by the table of rooms, and the floors below.
var floors = []string{"state", "decide", "run", "answer", "clusters", "prove", "faces", "server"}

// A room is one row of the table.
type room struct {
	folder string // one package, or with "/..." a folder and all below it
	kind   kind
	may    string // rooms of its own floor that it may import, by their short names
	only   string // a wall of its own: all that it may import, on any floor, where that is less than the floors below
	tests  string // rooms that its tests may import besides
}

// driven is what tests import that drive an engine of their own in virtual or real time.
const driven = "state/fleet state/event decide/core decide/promise decide/placement decide/health run/engine run/journal run/journal/memory " +
	"run/journal/sqlite run/driver run/driver/simulated run/compact run/keys answer/view answer/explain answer/forecast answer/fleetfile answer/yamlfile"

// forPages is what every page may import.
const forPages = "gen faces/draw faces/picture answer/words faces/web/frame faces/web/parts"

// pageRooms are the rooms of pages.
const pageRooms = "faces/web/buildout faces/web/change faces/web/coming faces/web/events faces/web/fleet faces/web/haircut faces/web/incident faces/web/maintenance faces/web/node faces/web/partition faces/web/promise " +
	"faces/web/queue faces/web/reference faces/web/run faces/web/session faces/web/shadow faces/web/team faces/web/workload"

// rooms is the house, from the ground up. A new folder needs a row here, and a
// row in docs/architecture.md that says what lives there.
var rooms = []room{
	// state: the nouns and the facts.
	{folder: "internal/state", kind: pure},
	{folder: "internal/state/fleet", kind: pure, may: "state/text"},
	{folder: "internal/state/event", kind: pure, may: "state/fleet"},
	{folder: "internal/state/text", kind: pure, only: "nothing"},

	// decide: a state and a command become events. Who decides knows nouns, not facts; core alone writes facts.
	{folder: "internal/decide", kind: pure},
	{folder: "internal/decide/promise/buffer", kind: pure, only: "nothing"},
	{folder: "internal/decide/promise/trial", kind: pure, only: "decide/promise/buffer"},
	{folder: "internal/decide/promise", kind: pure, only: "state/fleet decide/promise/buffer", tests: "decide/promise/trial"},
	{folder: "internal/decide/access", kind: pure, only: "state/fleet"},
	{folder: "internal/decide/placement", kind: pure, only: "state/fleet", tests: "decide/core"},
	{folder: "internal/decide/health", kind: pure, only: "state/fleet state/text", tests: "state/event decide/core"},
	{folder: "internal/decide/health/adapt", kind: pure, only: "state/fleet"},
	{folder: "internal/decide/haircut", kind: pure, only: "state/fleet state/text decide/promise"},
	{folder: "internal/decide/maintenance", kind: pure, only: "state/fleet state/text decide/promise", tests: "state/event decide/core decide/invariant"},
	{folder: "internal/decide/invariant", kind: pure, only: "state/fleet"},
	{folder: "internal/decide/core", kind: pure, may: "decide/access decide/promise decide/haircut decide/placement decide/health decide/maintenance decide/buildout", tests: "answer/reason answer/explain"},
	{folder: "internal/decide/buildout", kind: pure, only: "state/fleet state/text"},

	// run: one writer, a durable log, effects.
	{folder: "internal/run", kind: plain},
	{folder: "internal/run/compact", kind: plain, only: "nothing"},
	{folder: "internal/run/wholefile", kind: plain, only: "nothing"},
	{folder: "internal/run/keys", kind: plain, only: "nothing"},
	{folder: "internal/run/gate", kind: open, only: "nothing"},
	{folder: "internal/run/journal", kind: open, only: "nothing", tests: "run/journal/memory"},
	{folder: "internal/run/journal/memory", kind: plain, only: "run/journal", tests: "run/journal/journaltest"},
	{folder: "internal/run/journal/sqlite", kind: open, only: "run/journal run/wholefile", tests: "run/journal/journaltest"},
	{folder: "internal/run/journal/postgres", kind: open, only: "run/journal", tests: "run/journal/journaltest run/journal/postgres/pgtest"},
	{folder: "internal/run/journal/postgres/pgtest", kind: plain, only: "nothing"},
	{folder: "internal/run/journal/named", kind: open, only: "run/journal run/journal/sqlite run/journal/postgres"},
	{folder: "internal/run/journal/journaltest", kind: open, only: "run/journal"},
	{folder: "internal/run/driver", kind: plain, only: "state/fleet"},
	{folder: "internal/run/driver/simulated", kind: plain, only: "state/fleet run/driver", tests: "run/driver/drivertest"},
	{folder: "internal/run/driver/drivertest", kind: plain, only: "state/fleet run/driver"},
	{folder: "internal/run/engine", kind: open, may: "run/journal run/driver run/compact run/keys", tests: "run/journal/memory"},
	{folder: "internal/run/provision", kind: plain, only: "state/fleet state/text decide/core", tests: "state/event run/provision/simulated run/engine run/journal run/journal/memory"},
	{folder: "internal/run/provision/azurequota", kind: open, only: "state/fleet run/provision"},
	{folder: "internal/run/provision/buildkite", kind: open, only: "state/fleet run/provision"},
	{folder: "internal/run/provision/gitcheckin", kind: open, only: "state/fleet run/provision"},
	{folder: "internal/run/provision/scalesets", kind: open, only: "state/fleet run/provision", tests: "prove/kubetest"},
	{folder: "internal/run/provision/tofu", kind: open, only: "state/fleet state/text run/provision run/wholefile", tests: "prove/tofutest"},
	{folder: "internal/run/provision/simulated", kind: plain, only: "state/fleet run/provision"},
	{folder: "internal/run/audit", kind: plain, only: "nothing"},
	{folder: "internal/run/executor", kind: plain, only: "state/fleet state/text decide/core", tests: "run/executor/simulated run/engine run/journal run/journal/memory decide/invariant"},
	{folder: "internal/run/executor/azure", kind: open, only: "run/executor", tests: "state/fleet"},
	{folder: "internal/run/executor/scheduledevents", kind: plain, only: "nothing"},
	{folder: "internal/run/executor/simulated", kind: plain, only: "state/fleet run/executor"},
	{folder: "internal/run/notify", kind: plain, may: "run/wholefile"},

	// answer: questions about state and log. What is pure here asks pure rooms alone.
	{folder: "internal/answer", kind: plain},
	{folder: "internal/answer/words", kind: plain, only: "answer/reason state/fleet state/event state/text"},
	{folder: "internal/answer/reason", kind: pure, only: "nothing", tests: "decide/core"},
	{folder: "internal/answer/explain", kind: pure, only: "answer/reason state/fleet state/text decide/promise decide/placement", tests: "decide/core"},
	{folder: "internal/answer/clusterlife", kind: pure, only: "state/fleet decide/core decide/buildout"},
	{folder: "internal/answer/whatif", kind: pure, may: "answer/explain answer/reason", tests: "answer/forecast"},
	{folder: "internal/answer/forecast", kind: pure},
	{folder: "internal/answer/past", kind: pure, may: "answer/explain answer/reason"},
	{folder: "internal/answer/past/keeper", kind: open, may: "answer/past"},
	{folder: "internal/answer/retain", kind: open, may: "answer/past answer/past/keeper"},
	{folder: "internal/answer/view", kind: pure},
	{folder: "internal/answer/recurrence", kind: open, only: "state/fleet"},
	{folder: "internal/answer/yamlfile", kind: open},
	{folder: "internal/answer/fleetfile", kind: open, may: "answer/words answer/yamlfile"},

	// clusters: the world outside.
	{folder: "internal/clusters", kind: plain},
	{folder: "internal/clusters/link", kind: open, only: "run/wholefile run/gate"},
	{folder: "internal/clusters/kube/plain", kind: plain, only: "nothing"},
	{folder: "internal/clusters/kube/nodefit", kind: open, only: "nothing"},
	{folder: "internal/clusters/kube/translate", kind: open, only: "state/fleet state/text decide/health/adapt clusters/kube/nodefit"},
	{folder: "internal/clusters/kube/kueue", kind: open, only: "state/fleet clusters/kube/translate", tests: "decide/core run/engine run/journal/memory"},
	{folder: "internal/clusters/kube/dcgm", kind: open, only: "state/fleet clusters/kube/translate"},
	{folder: "internal/clusters/kube/marks", kind: open, only: "state/fleet clusters/kube/translate"},
	{folder: "internal/clusters/kube/webhook", kind: open, only: "clusters/kube/nodefit clusters/kube/translate run/gate"},
	{folder: "internal/clusters/kube/tokenreview", kind: open, only: "nothing"},
	{
		folder: "internal/clusters/kube", kind: open,
		may:   "clusters/kube/nodefit clusters/kube/translate clusters/kube/kueue clusters/kube/marks clusters/kube/dcgm",
		tests: "prove/kubetest clusters/kube/webhook clusters/kube/plain",
	},

	// prove: is it right, and how fast.
	{folder: "internal/prove", kind: plain},
	{folder: "internal/prove/trace", kind: plain, only: "state/text"},
	{folder: "internal/prove/kubetest", kind: open, only: "clusters/kube/plain prove/testmodule"},
	{folder: "internal/prove/testmodule", kind: plain, only: "nothing"},
	{folder: "internal/prove/tofutest", kind: plain, only: "prove/testmodule"},
	{folder: "internal/prove/compare", kind: open, only: "clusters/kube/plain prove/kubetest"},
	{folder: "internal/prove/scenario", kind: open},
	{folder: "internal/prove/stage", kind: open, tests: "prove/scenario prove/kubetest"},
	{folder: "internal/prove/simulate", kind: open, may: "prove/trace"},
	{folder: "internal/prove/demo", kind: open},
	{folder: "internal/prove/backtest", kind: open, may: "prove/trace"},
	{folder: "internal/prove/buildstudy", kind: open, only: "state/fleet state/event decide/core decide/buildout run/provision run/provision/simulated"},
	{folder: "internal/prove/siege", kind: open, only: "nothing"},
	{folder: "internal/prove/bench", kind: open, may: "prove/simulate prove/siege"},
	{folder: "internal/prove/chaos", kind: open, tests: driven},
	{folder: "internal/prove/oracle", kind: open, may: "prove/scenario"},
	// The judge shares no code with what it judges.
	{folder: "internal/prove/judge", kind: pure, only: "state/fleet", tests: "state/event decide/core"},
	{folder: "internal/prove/walls", kind: plain, only: "nothing"},
	{folder: "internal/prove/layout", kind: plain, only: "nothing"},
	{folder: "internal/prove/mutate", kind: plain, only: "nothing"},
	{folder: "internal/prove/prose", kind: plain, only: "nothing"},
	{folder: "internal/prove/sbom", kind: plain, only: "nothing"},

	// faces: what people and programs see. CLI and pages know the server as its clients do.
	{folder: "internal/faces", kind: plain},
	{folder: "internal/faces/draw", kind: pure, only: "state/text"},
	{folder: "internal/faces/draw/docpictures", kind: plain, only: "faces/draw"},
	{folder: "internal/faces/picture", kind: plain, only: "gen answer/reason answer/words faces/draw"},
	{folder: "internal/faces/calendar", kind: open, only: "gen state/text"},
	{folder: "internal/faces/sheet", kind: open, only: "state/fleet state/text decide/haircut", tests: "decide/core"},
	{folder: "internal/faces/metrics", kind: open, only: "state/fleet state/event answer/view", tests: "decide/core"},
	{folder: "internal/faces/wire", kind: open, may: "gen"},
	{folder: "internal/faces/api", kind: open, may: "faces/sheet faces/wire gen", tests: "client"},
	{folder: "internal/faces/signin", kind: open, may: "faces/api faces/web/frame"},
	// A page asks the API as its reader, and knows no room that decides.
	{folder: "internal/faces/web/ask", kind: open, only: "client gen run/gate"},
	{folder: "internal/faces/web/parts", kind: open, only: "state/text faces/draw faces/picture"},
	{folder: "internal/faces/web/frame", kind: open, only: "state/event state/text client gen run/gate faces/draw faces/web/ask faces/web/parts"},
	{folder: "internal/faces/web/islands", kind: open, only: forPages},
	{folder: "internal/faces/web/coming", kind: open, only: forPages},
	{folder: "internal/faces/web/events", kind: open, only: forPages},
	{folder: "internal/faces/web/shadow", kind: open, only: forPages},
	{folder: "internal/faces/web/change", kind: open, only: forPages + " answer/recurrence faces/web/events"},
	{folder: "internal/faces/web/incident", kind: open, only: forPages + " faces/web/change faces/web/events"},
	{folder: "internal/faces/web/session", kind: open, only: forPages + " faces/web/change"},
	{folder: "internal/faces/web/buildout", kind: open, only: forPages + " faces/web/change faces/web/events"},
	{folder: "internal/faces/web/promise", kind: open, only: forPages + " faces/web/events"},
	{folder: "internal/faces/web/fleet", kind: open, only: forPages + " faces/web/coming faces/web/incident faces/web/promise"},
	{folder: "internal/faces/web/partition", kind: open, only: forPages + " faces/web/change faces/web/coming faces/web/islands faces/web/shadow"},
	{folder: "internal/faces/web/node", kind: open, only: forPages + " faces/web/change faces/web/coming faces/web/events faces/web/islands"},
	{folder: "internal/faces/web/workload", kind: open, only: forPages + " faces/web/change faces/web/coming faces/web/islands"},
	{folder: "internal/faces/web/queue", kind: open, only: forPages},
	{folder: "internal/faces/web/maintenance", kind: open, only: forPages + " faces/web/change faces/calendar"},
	{folder: "internal/faces/web/run", kind: open, only: forPages},
	{folder: "internal/faces/web/team", kind: open, only: forPages + " faces/web/change faces/web/coming"},
	{folder: "internal/faces/web/haircut", kind: open, only: forPages + " faces/web/events"},
	{folder: "internal/faces/web/reference", kind: open, only: forPages},
	{folder: "internal/faces/web", kind: open, only: "faces/draw faces/picture faces/web/frame " + pageRooms, tests: driven + " faces/api answer/past decide/haircut"},
	{folder: "internal/faces/web/e2e/small", kind: open, only: "nothing"},
	{
		// The command line runs nothing of the run floor; it keeps its sign-in as servers keep their files.
		folder: "internal/faces/cli", kind: open,
		only:  "client gen state/text run/wholefile answer/reason faces/draw faces/picture faces/metrics faces/wire answer/words answer/fleetfile answer/recurrence answer/yamlfile prove/scenario prove/stage prove/simulate prove/bench prove/backtest prove/trace",
		tests: "state/event",
	},

	// server and the program: wiring. Beside the floors, what the world may import.
	{folder: "internal/server/datafolder", kind: open, only: "faces/cli run/journal/named"},
	{folder: "internal/server/lategc", kind: plain, only: nothing},
	{folder: "internal/server/leadership", kind: open, only: "run/journal run/journal/postgres"},
	{folder: "internal/server/sharedfiles", kind: open, only: "clusters/link faces/cli run/gate run/journal/postgres run/notify run/wholefile server/datafolder"},
	{folder: "internal/server", kind: open, may: anything},
	{folder: "cmd/muster", kind: open, only: "server"},
	{folder: "client", kind: open, only: "gen"},
	{folder: "gen/...", kind: open, only: "nothing"},
}

// nothing stands for "no room of the house" in the column only.
const nothing = "nothing"

// name is what other rows call the room.
func (r room) name() string {
	return strings.TrimPrefix(strings.TrimSuffix(r.folder, "/..."), "internal/")
}

// floor is the number of the floor that the room is on, from 0; outside has none.
func (r room) floor() (number int, inside bool) {
	name, inside := strings.CutPrefix(r.folder, "internal/")
	if !inside {
		return 0, false
	}
	name, _, _ = strings.Cut(name, "/")
	number = slices.Index(floors, name)
	return number, number >= 0
}

// above says whether this room is on a higher floor than the other.
func (r room) above(other room) bool {
	mine, in := r.floor()
	others, also := other.floor()
	return in && also && others < mine
}

// covers says whether the room is responsible for a folder.
func (r room) covers(folder string) bool {
	base, deep := strings.CutSuffix(r.folder, "/...")
	return folder == base || deep && strings.HasPrefix(folder, base+"/")
}

// mayImport says whether the room, or a test of it, may import another one.
func (r room) mayImport(other room, test bool) bool {
	switch {
	case r.folder == other.folder, names(r.may+" "+r.only, other):
		return true
	case test && (names(r.tests, other) || other.name() == "decide/invariant"):
		return true // any room's tests may ask whether what always holds still holds
	case test && r.only == "" && r.above(other):
		return true
	default:
		return r.only == "" && r.above(other) && (r.kind != pure || other.kind == pure)
	}
}

// names says whether a column of the table names a room.
func names(column string, other room) bool {
	list := strings.Fields(column)
	return slices.Contains(list, anything) || slices.Contains(list, other.name())
}

// roomOf is the room responsible for a folder.
func roomOf(rooms []room, folder string) (room, bool) {
	for _, r := range rooms {
		if r.covers(folder) {
			return r, true
		}
	}
	return room{}, false
}
