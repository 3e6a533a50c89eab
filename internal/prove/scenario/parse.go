package scenario

import (
	"errors"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
)

// Load reads a scenario from disk. What is wrong in it is yamlfile.Errors; another
// error is the disk's.
func Load(path string) (*File, error) {
	data, err := yamlfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads a scenario; name is what messages call the file. The error is yamlfile.Errors.
func Parse(name string, data []byte) (*File, error) {
	doc, top := yamlfile.Open(name, data)
	f := top.Fields(append([]string{"scenario", "peer", "steps"}, fleetfile.Keys...)...)
	p := &parser{file: &File{Name: name}, namespaces: map[string]string{}}
	p.file.Title = f.Need("scenario").Text()
	p.file.Peer = readPeer(f.At("peer"))
	p.file.Fleet = fleetfile.Read(name, f, fleetfile.Options{Partitions: map[string]int{}})
	p.known = knownIn(p.file.Fleet)
	p.file.Steps = yamlfile.Each(f.Need("steps"), p.step)
	return p.finish(doc.Err())
}

// finish tells wishes for what cannot be done yet from what is wrong.
func (p *parser) finish(err error) (*File, error) {
	var all yamlfile.Errors
	if !errors.As(err, &all) {
		return p.file, nil
	}
	var wrong yamlfile.Errors
	for _, e := range all {
		if e.NotYet {
			p.file.NotYet = append(p.file.NotYet, e)
		} else {
			wrong = append(wrong, e)
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return p.file, nil
}

// parser reads one file, and remembers what of it later steps may name.
type parser struct {
	file       *File
	known      known
	namespaces map[string]string // of the workloads submitted so far, by name
	last       time.Duration     // moment of the step before
}

// stepKinds are the keys of which a step has exactly one.
var stepKinds = []string{
	"submit", "cancel", "node", "grant", "transfer", "hold", "policy", "islands", "incident",
	"haircut", "idle", "stale", "fresh", "restart", "expect",
}

func (p *parser) step(v yamlfile.Value) Step {
	kinds := slices.Concat(stepKinds, fitSteps, healthSteps, maintenanceSteps, buildoutSteps)
	f := v.Fields(append([]string{"at", "refused"}, kinds...)...)
	s := Step{Line: v.Line(), At: p.at(f.Need("at"))}
	kind, value := f.One(kinds...)
	switch kind {
	case "":
	case "expect":
		s.Expect = yamlfile.Each(value, p.expectation)
	case "restart":
		if s.Restart = value.Bool(); !s.Restart {
			value.Fail("restart is not true; leave the step out if nothing restarts")
		}
	default:
		s.Do = p.action(kind, value)
	}
	s.Refused = p.refused(f.At("refused"), kind)
	return s
}

func (p *parser) at(v yamlfile.Value) time.Duration {
	at := v.Duration()
	if at < p.last {
		v.Fail("at is %s, before the step above (%s); steps come in order of time",
			words.Duration(at), words.Duration(p.last))
		return p.last
	}
	p.last = at
	return at
}

var refusals = codeWords()

// codeWords are the codes of refusals as a story writes them.
func codeWords() []string {
	var words []string
	for _, row := range core.Codes() {
		words = append(words, string(row.Code))
	}
	return words
}

func (p *parser) refused(v yamlfile.Value, kind string) core.Code {
	if !v.Present() {
		return ""
	}
	if kind == "expect" || kind == "restart" {
		v.Fail("%s is no command and cannot be refused; take refused out", kind)
	}
	return core.Code(v.Word(refusals...))
}
