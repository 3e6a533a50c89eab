package walls

import "strings"

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

// A room is one row of the table.
type room struct {
	folder string // one package, or with "/..." a folder and all below it
	kind   kind
	may    string // the rooms that it may import, by their short names
	tests  string // the rooms that its tests may import besides
}

// The rooms that stand under others, for short.
const (
	decisions = "fleet event promise placement explain health maintenance buildout haircut core"
	engine    = decisions + " invariant journal compact engine"
	drivers   = "driver driver/simulated"
	// What drives an engine of its own in virtual or real time.
	driven = engine + " journal/memory journal/sqlite " + drivers + " view explain forecast config"
)

// rooms is the house, from the ground up. A new folder needs a row here, and a
// row in docs/architecture.md that says what lives there.
var rooms = []room{
	// The pure rooms: every decision is a function of its arguments.
	{folder: "internal/fleet", kind: pure},
	{folder: "internal/event", kind: pure, may: "fleet"},
	{folder: "internal/promise/buffer", kind: pure},
	{folder: "internal/promise/trial", kind: pure, may: "promise/buffer"},
	{folder: "internal/promise", kind: pure, may: "fleet promise/buffer"},
	{folder: "internal/placement", kind: pure, may: "fleet", tests: "core"},
	{folder: "internal/explain", kind: pure, may: "fleet promise placement", tests: "core"},
	{folder: "internal/health", kind: pure, may: "fleet", tests: "event core"},
	{folder: "internal/health/adapt", kind: pure, may: "fleet"},
	{folder: "internal/maintenance", kind: pure, may: "fleet"},
	{folder: "internal/buildout", kind: pure, may: "fleet"},
	{folder: "internal/haircut", kind: pure, may: "fleet promise", tests: "event core"},
	{folder: "internal/core", kind: pure, may: "fleet event promise haircut placement explain health maintenance buildout"},
	{folder: "internal/whatif", kind: pure, may: "fleet event promise explain core health", tests: "forecast"},
	{folder: "internal/invariant", kind: pure, may: "fleet"},
	{folder: "internal/judge", kind: pure, may: "fleet", tests: "event core"},
	{folder: "internal/forecast", kind: pure, may: "fleet event core"},
	{folder: "internal/past", kind: pure, may: "fleet event core explain promise/buffer promise/trial"},
	{folder: "internal/past/keeper", kind: open, may: "fleet event past wholefile", tests: "core engine journal/memory"},

	// What makes decisions durable, and what carries them out.
	{folder: "internal/compact", kind: plain},
	{folder: "internal/journal", kind: open, may: "event", tests: "journal/memory"},
	{folder: "internal/journal/memory", kind: plain, may: "event journal", tests: "journal/journaltest"},
	{folder: "internal/wholefile", kind: plain},
	{folder: "internal/journal/sqlite", kind: open, may: "event journal wholefile", tests: "journal/journaltest"},
	{folder: "internal/journal/postgres", kind: open, may: "event journal", tests: "journal/journaltest"},
	{folder: "internal/journal/journaltest", kind: open, may: "event journal"},
	{folder: "internal/engine", kind: open, may: decisions + " invariant journal driver compact", tests: "journal/memory journal/sqlite"},
	{folder: "internal/driver", kind: plain, may: "fleet"},
	{folder: "internal/driver/simulated", kind: plain, may: "fleet driver"},
	{folder: "internal/driver/kube/translate", kind: open, may: "fleet health/adapt"},
	{folder: "internal/driver/kube/kueue", kind: open, may: "fleet driver/kube/translate", tests: "core engine journal/memory"},
	{folder: "internal/driver/kube/dcgm", kind: open, may: "fleet driver/kube/translate"},
	{folder: "internal/driver/kube/marks", kind: open, may: "fleet driver/kube/translate"},
	{folder: "internal/driver/kube", kind: open, may: "fleet core explain driver engine driver/simulated driver/kube/translate driver/kube/kueue driver/kube/marks driver/kube/dcgm driver/kube/plain", tests: driven + " scenario event driver/kube/kubetest driver/kube/webhook"},
	{folder: "internal/driver/kube/plain", kind: plain},
	{folder: "internal/driver/kube/kubetest", kind: open, may: "driver/kube/plain"},
	{folder: "internal/link", kind: open, may: "wholefile"},
	{folder: "internal/driver/kube/webhook", kind: plain, may: "driver/kube/translate"},

	// What people read and write.
	{folder: "internal/view", kind: plain, may: "fleet event promise haircut placement explain health core"},
	{folder: "internal/config", kind: open, may: "fleet core words"},
	{folder: "internal/trace", kind: plain},
	{folder: "internal/sheet", kind: open, may: "fleet haircut", tests: "core"},

	// Fleets that are tried before they are trusted.
	{folder: "internal/scenario", kind: open, may: driven + " words"},
	{folder: "internal/simulate", kind: open, may: driven + " trace"},
	{folder: "internal/demo", kind: open, may: driven + " trace"},
	{folder: "internal/bench", kind: open, may: driven + " past past/keeper whatif"},
	{folder: "internal/backtest", kind: open, may: "fleet event trace journal journal/sqlite promise/buffer promise/trial", tests: "core journal/memory"},
	{folder: "internal/chaos", kind: open, tests: driven},

	// The faces. The API asks an engine interface of its own; the CLI knows the client only.
	{folder: "internal/api", kind: open, may: "fleet event core words view explain health whatif forecast haircut sheet past past/keeper promise/trial gen", tests: "engine journal/memory client"},
	{folder: "internal/metrics", kind: open, may: "fleet event view", tests: "core"},
	{folder: "internal/notify", kind: plain, may: "fleet event wholefile", tests: "core"},
	{folder: "internal/draw", kind: pure},
	{folder: "internal/words", kind: plain, may: "fleet event"},
	{folder: "internal/picture", kind: plain, may: "gen draw"},
	{folder: "internal/web", kind: open, may: "event client gen draw picture words", tests: driven + " api past"},
	{folder: "internal/web/e2e/small", kind: open},
	{folder: "internal/cli", kind: open, may: "client gen draw picture words config scenario simulate bench metrics backtest trace"},
	{folder: "client", kind: open, may: "gen"},
	{folder: "gen/...", kind: open},
	{folder: "cmd/muster", kind: open, may: anything},

	{folder: "internal/walls", kind: plain},
}

// name is what other rows call the room.
func (r room) name() string {
	return strings.TrimPrefix(strings.TrimSuffix(r.folder, "/..."), "internal/")
}

// covers says whether the room is responsible for a folder.
func (r room) covers(folder string) bool {
	base, deep := strings.CutSuffix(r.folder, "/...")
	return folder == base || deep && strings.HasPrefix(folder, base+"/")
}

// mayImport says whether the room, or a test of it, may import another one.
func (r room) mayImport(other room, test bool) bool {
	allowed := strings.Fields(r.may)
	if test {
		// Any room's tests may ask whether what always holds still holds.
		allowed = append(allowed, append(strings.Fields(r.tests), "invariant")...)
	}
	for _, name := range allowed {
		if name == anything || name == other.name() {
			return true
		}
	}
	return r.folder == other.folder
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
