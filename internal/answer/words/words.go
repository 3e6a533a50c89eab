package words

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
)

// Thing is what sort of thing an event is about: its page on the web.
type Thing string

// The sorts of things.
const (
	Nothing   Thing = ""
	Workload  Thing = "workload"
	Node      Thing = "node"
	Quota     Thing = "quota"
	Partition Thing = "partition"
	Cluster   Thing = "cluster"
	Incident  Thing = "incident"
	Haircut   Thing = "haircut"
	Request   Thing = "request"
	Life      Thing = "life"  // a cluster that is built
	Other     Thing = "other" // something with a name and no page
)

// Told is an event in words: after what it is about, what it says of it.
type Told struct {
	Thing Thing
	About string // its name; "" where the event is about the fleet
	Says  string
}

// Names knows workloads by their numbers; "" where it does not.
type Names func(id uint64) string

func (n Names) of(id uint64) string {
	if name := n(id); name != "" {
		return name
	}
	return "workload " + strconv.FormatUint(id, 10)
}

// Tell says an event of a kind with its data, as the API gives them.
func Tell(kind, data string, names Names) Told {
	e, err := event.Parse(kind, []byte(data))
	if err != nil {
		return raw(data)
	}
	if told, ok := tell(e, names); ok {
		return told
	}
	return raw(data)
}

// TellEvent says an event; an event without a sentence of its own by its keys and values.
func TellEvent(e event.Event, names Names) Told {
	if told, ok := tell(e, names); ok {
		return told
	}
	data, err := json.Marshal(e)
	if err != nil {
		return Told{}
	}
	return raw(string(data))
}

// teller says the events of one subject; ok is false for all others.
type teller func(e event.Event, names Names) (told Told, ok bool)

// tellers are those of all subjects. No two say the same event.
var tellers = []teller{tellWork, tellPlace, tellFleet, tellPeople, tellHaircut, tellHealth, tellMaintenance, tellBuildout}

func tell(e event.Event, names Names) (Told, bool) {
	for _, tell := range tellers {
		if told, ok := tell(e, names); ok {
			return told, true
		}
	}
	return Told{}, false
}

// Mentions lists the workloads that an event's sentence names by number, so that a caller can
// look their names up before it calls Tell. It forms the sentence once, with Names that only
// note what they are asked: so no second list of fields has to agree with the sentences.
func Mentions(kind, data string) []uint64 {
	e, err := event.Parse(kind, []byte(data))
	if err != nil {
		return nil
	}
	var ids []uint64
	_, _ = tell(e, func(id uint64) string { ids = append(ids, id); return "" })
	slices.Sort(ids)
	return slices.Compact(ids)
}

// raw tells an event by its keys and values, in order of key.
func raw(data string) Told {
	var fields map[string]any
	if json.Unmarshal([]byte(data), &fields) != nil {
		return Told{Says: data}
	}
	about := takeSubject(fields)
	return Told{Other, about, strings.Join(rawParts(fields), ", ")}
}

// takeSubject takes the field out that says what an event is about: the most particular one.
func takeSubject(fields map[string]any) string {
	for _, key := range []string{"node", "quota", "partition", "cluster", "name", "scope"} {
		if text, ok := fields[key].(string); ok && text != "" {
			delete(fields, key)
			return text
		}
	}
	return ""
}

// rawParts says each field: of a list how long it is, of an object nothing.
func rawParts(fields map[string]any) (parts []string) {
	for k, v := range fields {
		switch v := v.(type) {
		case string, bool:
			parts = append(parts, fmt.Sprintf("%s %v", k, v))
		case float64:
			parts = append(parts, k+" "+strconv.FormatFloat(v, 'f', -1, 64))
		case []any:
			parts = append(parts, fmt.Sprintf("%s (%d)", k, len(v)))
		}
	}
	slices.Sort(parts)
	return parts
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}
