package scenario

import (
	"strings"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

// Expectation is what must be true of one thing.
type Expectation struct {
	Line      int
	Subject   string // workload, quota, node, namespace or partition
	Name      string
	Partition string // where quotas and namespaces are meant
	Figures   []Figure
}

// Figure is one thing that must be so.
type Figure struct {
	Line int
	Name string
	Want Want
}

func (p *parser) expectation(v yamlfile.Value) Expectation {
	entries := v.Entries()
	s, ok := subjectOf(entries)
	if !ok {
		if v.IsMap() {
			v.Fail("the expectation names none of %s; say what it is about", strings.Join(subjectKeys(), ", "))
		}
		return Expectation{}
	}
	f := v.Fields(s.keys()...)
	e := Expectation{Line: v.Line(), Subject: s.key}
	p.identify(&e, s, f)
	if s.later {
		v.NotYet("expectations of a %s", s.key)
	}
	for _, entry := range entries {
		p.expectFigure(&e, s, entry)
	}
	return e
}

func subjectOf(entries []yamlfile.Entry) (subject, bool) {
	for _, s := range subjects {
		for _, e := range entries {
			if e.Key == s.key {
				return s, true
			}
		}
	}
	return subject{}, false
}

func subjectKeys() []string {
	var keys []string
	for _, s := range subjects {
		keys = append(keys, s.key)
	}
	return keys
}

// identify reads which one is meant; it must be one that the story knows.
func (p *parser) identify(e *Expectation, s subject, f yamlfile.Fields) {
	v := f.At(s.key)
	if s.within {
		e.Partition = f.Need("partition").Partition()
		p.known.partition(f.At("partition"), e.Partition)
	}
	switch s.key {
	case "workload":
		e.Name = v.Name()
		p.submitted(v, e.Name)
	case "quota":
		e.Name = v.QuotaPath()
		p.known.quota(v, e.Name)
	case "haircut":
		e.Name = v.Path()
		if p, _, _ := strings.Cut(e.Partition, "/"); e.Name != "fleet" && e.Name != p && e.Name != e.Partition {
			v.Fail("haircut is %q, of which %s is no part; write fleet, %s or %s", yamlfile.Clip(e.Name), e.Partition, p, e.Partition)
		}
	case "partition":
		e.Name = v.Partition()
		p.known.partition(v, e.Name)
	default:
		e.Name = v.Name()
	}
}

func (p *parser) expectFigure(e *Expectation, s subject, entry yamlfile.Entry) {
	f, ok := s.figure(entry.Key)
	if !ok {
		return
	}
	want := f.want(entry.Value)
	switch {
	case s.later:
	case f.later:
		entry.Value.NotYet("the figure %s of a %s", f.name, s.key)
	default:
		e.Figures = append(e.Figures, Figure{Line: entry.Value.Line(), Name: f.name, Want: want})
	}
}

// known is what a fleet file names.
type known struct{ partitions, quotas []string }

func knownIn(f fleetfile.File) known {
	var k known
	for _, c := range f.Clusters {
		for _, p := range c.Partitions {
			k.partitions = append(k.partitions, c.Name+"/"+p.GPU)
		}
	}
	for _, q := range f.Quotas {
		for i, r := range q.Path + "/" {
			if r == '/' {
				k.quotas = append(k.quotas, q.Path[:i])
			}
		}
	}
	return k
}

func (k known) partition(v yamlfile.Value, id string) { k.has(v, "partition", id, k.partitions) }
func (k known) quota(v yamlfile.Value, path string)   { k.has(v, "quota", path, k.quotas) }

func (k known) has(v yamlfile.Value, what, name string, all []string) {
	for _, x := range all {
		if x == name {
			return
		}
	}
	if name == "" {
		return
	}
	if near := yamlfile.Nearest(name, all); near != "" {
		v.Fail("there is no %s %q; did you mean %q?", what, yamlfile.Clip(name), near)
		return
	}
	v.Fail("there is no %s %q in this file; name one that is there", what, yamlfile.Clip(name))
}
