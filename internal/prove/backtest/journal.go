package backtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/named"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// OpenJournal reads the pools of a journal, by the name that people give it (journal/named).
// Each partition is a group of one pool, its islands another.
func OpenJournal(ctx context.Context, name string) ([]Group, error) {
	j, err := named.Read(ctx, name)
	if err != nil {
		return nil, err
	}
	groups, err := ReadJournal(ctx, j)
	return groups, errors.Join(err, j.Close())
}

// ReadJournal reads the pools of a journal, until its last record.
func ReadJournal(ctx context.Context, j journal.Journal) ([]Group, error) {
	p := past{partitions: map[string]*partition{}}
	err := j.Read(ctx, 1, func(en journal.Entry) error {
		record, err := event.Decode(en.Data)
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		p.take(record)
		return nil
	})
	return p.groups(), err
}

// past is what a journal says of nodes.
type past struct {
	partitions map[string]*partition
	end        fleet.Instant
}

type partition struct {
	gpus    int
	begins  fleet.Instant
	islands map[string]*island
	home    map[string]*island // of nodes
}

type island struct {
	racks   int
	changes []change
}

func (p *past) take(r event.Record) {
	p.end = max(p.end, r.At)
	for _, e := range r.Events {
		switch e := e.(type) {
		case event.PartitionAdded:
			p.partitions[e.Cluster+"/"+e.GPU] = &partition{gpus: e.GPUsPerNode, islands: map[string]*island{}, home: map[string]*island{}}
		case event.IslandAdded:
			p.partitions[e.Partition].islands[e.Island] = &island{racks: e.Racks}
		case event.NodesAdded:
			p.partitions[e.Partition].add(e, r.At)
		case event.NodeChanged:
			p.partitions[e.Partition].turn(e, r.At)
		}
	}
}

func (p *partition) add(e event.NodesAdded, at fleet.Instant) {
	if p.begins == 0 {
		p.begins = at - at%fleet.Instant(time.Hour)
	}
	is := p.islands[e.Island]
	is.changes = append(is.changes, change{at: at.Sub(p.begins), nodes: len(e.Names)})
	for _, name := range e.Names {
		p.home[name] = is
	}
}

func (p *partition) turn(e event.NodeChanged, at fleet.Instant) {
	down := 0
	switch {
	case e.From == fleet.Healthy && e.To != fleet.Healthy:
		down = 1
	case e.From != fleet.Healthy && e.To == fleet.Healthy:
		down = -1
	}
	if down != 0 {
		is := p.home[e.Node]
		is.changes = append(is.changes, change{at: at.Sub(p.begins), down: down})
	}
}

func (p *past) groups() []Group {
	var groups []Group
	for _, id := range sorted(p.partitions) {
		if part := p.partitions[id]; part.begins != 0 {
			groups = append(groups, part.groups(id, p.end)...)
		}
	}
	return groups
}

// groups are the partition as one pool and, where there are several, its islands.
func (p *partition) groups(id string, end fleet.Instant) []Group {
	count := int(end.Sub(p.begins) / time.Hour)
	var pools []Pool
	var all []change
	racks := 0
	for _, name := range sorted(p.islands) {
		is := p.islands[name]
		racks += is.racks
		all = append(all, is.changes...)
		pools = append(pools, Pool{Name: id + "/" + name, GPUsPerNode: p.gpus, Racks: is.racks, Hours: hours(is.changes, count)})
	}
	rate := rates(pools)
	for i := range pools {
		pools[i].Rate = rate
	}
	whole := Pool{Name: id, GPUsPerNode: p.gpus, Racks: racks, Hours: hours(all, count), Rate: rate}
	groups := []Group{{Name: id, Pools: []Pool{whole}}}
	if len(pools) > 1 {
		groups = append(groups, Group{Name: id + ", its islands", Pools: pools})
	}
	return groups
}

func sorted[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
