package scenario

import (
	"strings"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

// Peer says which situation of another scheduler a story retells, and how
// Muster's answer compares with the one given there.
type Peer struct {
	Source string // address of the test or the issue, at the commit that was read
	Case   string // name of the test case there; "" where the source is an issue
	There  string // what is decided there
	Answer Answer
	Why    string // why the answer is the same, adapted or different
}

// Answer compares Muster's answer with another scheduler's.
type Answer string

// The answers, by how far they are from the other's.
const (
	Same      Answer = "same"      // the same situation in our words, the same outcome
	Adapted   Answer = "adapted"   // the question is the same, the situation or the means are changed to our rules
	Different Answer = "different" // the same situation, deliberately another outcome
)

const github = "https://github.com/"

// Project is the repository that the source is in, owner/name.
func (p Peer) Project() string {
	parts := strings.SplitN(strings.TrimPrefix(p.Source, github), "/", 3)
	return parts[0] + "/" + parts[1]
}

func readPeer(v yamlfile.Value) *Peer {
	if !v.Present() {
		return nil
	}
	f := v.Fields("source", "case", "there", "answer", "why")
	source := f.Need("source")
	p := &Peer{
		Source: source.Text(), Case: f.At("case").Text(), There: f.Need("there").Text(),
		Answer: Answer(f.Need("answer").Word(string(Same), string(Adapted), string(Different))),
		Why:    f.Need("why").Text(),
	}
	if strings.Count(strings.TrimPrefix(p.Source, github), "/") < 2 || !strings.HasPrefix(p.Source, github) {
		source.Fail("%q is no address in a repository; write it as %sOWNER/NAME/…", yamlfile.Clip(p.Source), github)
		return nil
	}
	return p
}
