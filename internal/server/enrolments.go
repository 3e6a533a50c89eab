package server

import (
	"crypto/sha256"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/clusters/link"
	"github.com/muster-fleet/muster/internal/run/audit"
)

// enrolments notes in the audit log whose agents are let in, and whose not any more. Who enrols
// works on the data folder, beside the API, so the server looks what has changed there.
type enrolments struct {
	folder string
	note   func(audit.Entry)
	known  map[string][sha256.Size]byte // by cluster: its certificates; nil: not looked yet
}

// look compares the folder with what it had. What it has at the start is noted, too: it may have
// changed while no server ran.
func (e *enrolments) look() {
	is := map[string][sha256.Size]byte{}
	paths, _ := filepath.Glob(filepath.Join(e.folder, "*"+link.Enrolled))
	for _, path := range paths {
		if data, err := os.ReadFile(path); err == nil {
			is[strings.TrimSuffix(filepath.Base(path), link.Enrolled)] = sha256.Sum256(data)
		}
	}
	for _, cluster := range slices.Sorted(maps.Keys(is)) {
		if was, had := e.known[cluster]; !had || was != is[cluster] {
			e.note(audit.Entry{Kind: audit.Enrolled, Actor: "cluster:" + cluster, Text: enrolledText(e.known == nil, had)})
		}
	}
	for _, cluster := range slices.Sorted(maps.Keys(e.known)) {
		if _, has := is[cluster]; !has {
			e.note(audit.Entry{Kind: audit.Enrolled, Actor: "cluster:" + cluster, Text: "its agents are revoked"})
		}
	}
	e.known = is
}

func enrolledText(first, had bool) string {
	switch {
	case first:
		return "its agents are enrolled as the server starts"
	case had:
		return "another certificate is enrolled, or one less"
	}
	return "its agents are enrolled"
}

// noteAgent notes an agent that came, or that was not let in. Of the latter one address has one line
// a minute, as of callers who are unknown: what they say could be another thing each time.
func (s *server) noteAgent(cluster, from string, why error) {
	e := audit.Entry{Kind: audit.Agent, Source: from, Text: "it came in"}
	if cluster != "" {
		e.Actor = "cluster:" + cluster
	}
	if why != nil {
		e.Kind, e.Call, e.Text = audit.Unknown, "agents", "not let in as an agent: "+why.Error()
	}
	s.audit.Note(e)
}
