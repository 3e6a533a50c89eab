package view

import (
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Namespace is one namespace's part of a partition's flex, in GPUs.
type Namespace struct {
	Namespace string `json:"namespace"`
	Partition string `json:"partition"`
	FlexUsed  int    `json:"flexUsed"`
	// FlexShare is what max-min fairness gives it of what all namespaces hold and
	// ask for: all that it asks for where that is less than an even part.
	FlexShare int `json:"flexShare"`
}

// Namespaces lists every namespace that uses or waits for flex, in order of
// partition, then name.
func Namespaces(s *fleet.State) []Namespace {
	var rows []Namespace
	for _, p := range s.Partitions {
		shares := placement.Shares(p)
		for _, name := range p.Namespaces() {
			rows = append(rows, Namespace{name, p.ID, p.FlexOf(name).Used, shares[name]})
		}
	}
	return rows
}

// NamespaceIn is a namespace's part of a partition's flex.
func NamespaceIn(p *fleet.Partition, name string) Namespace {
	return Namespace{name, p.ID, p.FlexOf(name).Used, placement.Shares(p)[name]}
}
