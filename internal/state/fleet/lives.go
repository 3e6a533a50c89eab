package fleet

import (
	"cmp"
	"container/heap"
	"maps"
	"slices"
	"strings"
	"time"
)

// This file knows the lives of clusters, and which of them are to be looked at.

// building is what is derived about clusters that are built.
type building struct {
	lives   map[string]*Life
	account map[string][]*Life         // by cloud account, in order of name
	touched map[string]bool            // clusters in which something changed
	ledgers map[string]bool            // cloud accounts in which something changed
	paced   []Pace                     // of which another cluster says how long it takes
	wake    map[string]Instant         // when time alone changes something there
	alarms  lifeAlarms                 // wake in order of time; some of it may be out of date
	paces   map[string][]time.Duration // by blueprint and condition: how long it took, shortest first
	drawn   map[string]Memory          // by cloud account: what is remembered until something changes there
	asleep  bool                       // a copy in which nothing is built
}

// Life finds a cluster's life by its name, or nil.
func (s *State) Life(name string) *Life { return s.building.lives[name] }

// LivesOf lists the clusters that are built in a cloud account, in order of name.
func (s *State) LivesOf(account string) []*Life { return s.building.account[account] }

// Blueprint finds a version of a blueprint; version 0 is the newest. nil: there is none.
func (s *State) Blueprint(name string, version int) *Blueprint {
	var found *Blueprint
	for _, b := range s.Blueprints {
		if b.Name == name && (b.Version == version || version == 0 && (found == nil || b.Version > found.Version)) {
			found = b
		}
	}
	return found
}

// BlueprintOf is the version of the blueprint by which a cluster is built, or nil.
func (s *State) BlueprintOf(l *Life) *Blueprint { return s.Blueprint(l.Record.Blueprint, l.Version) }

// AddBlueprint keeps a version of a blueprint.
func (s *State) AddBlueprint(b Blueprint) {
	clear(s.building.drawn)
	s.Blueprints = append(s.Blueprints, &b)
	slices.SortFunc(s.Blueprints, func(x, y *Blueprint) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), cmp.Compare(x.Version, y.Version))
	})
}

// AddLife begins a cluster's life.
func (s *State) AddLife(l Life) *Life {
	s.Lives = insertLife(s.Lives, &l)
	s.building.enter(&l)
	s.LastLife = max(s.LastLife, l.Number)
	s.TouchLife(l.Record.Name)
	s.TouchAccount(l.Record.Account())
	return &l
}

// Rewrite gives a cluster another record.
func (s *State) Rewrite(l *Life, r ClusterRecord) {
	b, was := &s.building, l.Record.Account()
	if was != r.Account() {
		b.account[was] = slices.DeleteFunc(slices.Clone(b.account[was]), func(x *Life) bool { return x == l })
		b.account[r.Account()] = insertLife(b.account[r.Account()], l)
	}
	l.Record = r
}

// insertLife puts a life into its place by name.
func insertLife(list []*Life, l *Life) []*Life {
	at, _ := slices.BinarySearchFunc(list, l.Record.Name, func(x *Life, name string) int { return strings.Compare(x.Record.Name, name) })
	return slices.Insert(list, at, l)
}

// enter knows a life by its name and its account.
func (b *building) enter(l *Life) {
	b.lives[l.Record.Name] = l
	account := l.Record.Account()
	b.account[account] = insertLife(b.account[account], l)
}

// newBuilding knows of no cluster yet.
func newBuilding() building {
	return building{
		lives: map[string]*Life{}, account: map[string][]*Life{}, touched: map[string]bool{}, ledgers: map[string]bool{},
		wake: map[string]Instant{}, paces: map[string][]time.Duration{}, drawn: map[string]Memory{},
	}
}

// TouchLife says that something changed for a cluster that is built.
func (s *State) TouchLife(name string) {
	if s.building.lives[name] != nil {
		s.building.touched[name] = true
	}
}

// TouchRetiring says that work left a partition: where its cluster is retired, that may
// have been the last.
func (s *State) TouchRetiring(partition string) {
	if len(s.Lives) == 0 {
		return
	}
	cluster, _, _ := strings.Cut(partition, "/")
	if l := s.building.lives[cluster]; l != nil && l.Course.Retiring != 0 {
		s.TouchLife(cluster)
	}
}

// Standing counts the workloads that stand in a partition.
func (p *Partition) Standing() int {
	n := len(p.flexWork)
	for _, a := range p.Accounts {
		n += len(a.work)
	}
	return n
}

// TouchAccount says that something changed in a cloud account.
func (s *State) TouchAccount(name string) {
	s.building.ledgers[name] = true
	delete(s.building.drawn, name)
}

// AccountMemory is what those who decide remember of a cloud account; nil: nothing, or
// something has changed there since.
func (s *State) AccountMemory(name string) Memory { return s.building.drawn[name] }

// RememberAccount keeps what those who decide remember of a cloud account, until something
// changes there.
func (s *State) RememberAccount(name string, m Memory) { s.building.drawn[name] = m }

// TakeAccounts lists the cloud accounts in which something changed since it was last asked.
func (s *State) TakeAccounts() []string {
	b := &s.building
	if b.asleep || len(b.ledgers) == 0 {
		return nil
	}
	accounts := slices.Sorted(maps.Keys(b.ledgers))
	clear(b.ledgers)
	return accounts
}

// TakeLives lists the clusters that are to be looked at now, in order of name. Of those that
// nothing but the clock has woken it takes so many at most, and says how many it took.
func (s *State) TakeLives(now Instant, most int) (lives []*Life, woken int) {
	b := &s.building
	if b.asleep {
		return nil, 0
	}
	for len(b.alarms) > 0 && b.alarms[0].at <= now && woken < most {
		if a := heap.Pop(&b.alarms).(lifeAlarm); b.wake[a.name] == a.at {
			b.touched[a.name] = true
			delete(b.wake, a.name)
			woken++
		}
	}
	if len(b.touched) == 0 {
		return nil, 0
	}
	for _, name := range slices.Sorted(maps.Keys(b.touched)) {
		lives = append(lives, b.lives[name])
	}
	b.touched = map[string]bool{} // a map that was once large is slow to walk over
	return lives, woken
}

// Pace is how long one condition takes in clusters of one blueprint.
type Pace struct {
	Blueprint string
	Condition ConditionType
}

// TakePaced lists the paces that another cluster has added to since it was last asked:
// clusters that wait for the same may be late now.
func (s *State) TakePaced() []Pace {
	b := &s.building
	paced := b.paced
	b.paced = nil
	if b.asleep {
		return nil
	}
	return paced
}

// lifeAlarm is a moment at which a cluster that is built should be looked at again.
type lifeAlarm struct {
	at   Instant
	name string
}

type lifeAlarms []lifeAlarm

func (a lifeAlarms) Len() int           { return len(a) }
func (a lifeAlarms) Less(i, j int) bool { return a[i].at < a[j].at }
func (a lifeAlarms) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *lifeAlarms) Push(x any)        { *a = append(*a, x.(lifeAlarm)) }
func (a *lifeAlarms) Pop() any {
	old := *a
	x := old[len(old)-1]
	*a = old[:len(old)-1]
	return x
}

// WakeLife asks for a look at a cluster at a moment; Never for none.
func (s *State) WakeLife(name string, at Instant) {
	b := &s.building
	switch {
	case at == Never:
		delete(b.wake, name)
	case b.wake[name] != at:
		b.wake[name] = at
		heap.Push(&b.alarms, lifeAlarm{at, name})
	}
}

// WakeLifeBy asks for a look at a cluster at a moment, or before.
func (s *State) WakeLifeBy(name string, at Instant) {
	if was, ok := s.building.wake[name]; !ok || at < was {
		s.WakeLife(name, at)
	}
}

// nextLife is when time alone may change something for a cluster that is built; a change
// that was not looked at yet counts as due.
func (s *State) nextLife() Instant {
	b := &s.building
	switch {
	case b.asleep:
	case len(b.touched)+len(b.ledgers)+len(b.paced) > 0:
		return s.Time
	case len(b.alarms) > 0:
		return b.alarms[0].at
	}
	return Never
}

// Paces is how long a condition took in clusters of a blueprint, shortest first.
func (s *State) Paces(blueprint string, t ConditionType) []time.Duration {
	return s.building.paces[blueprint+"\x00"+string(t)]
}

func (s *State) keepPace(blueprint string, t ConditionType, took time.Duration) {
	key := blueprint + "\x00" + string(t)
	list := s.building.paces[key]
	at, _ := slices.BinarySearch(list, took)
	s.building.paces[key] = slices.Insert(slices.Clone(list), at, took)
}

// ChangeCondition keeps that a condition of a cluster is now this.
func (s *State) ChangeCondition(l *Life, c ClusterCondition, turn bool, at Instant) {
	was, _ := l.Condition(c.Type)
	c.Since, c.Turn, c.Took = at, was.Turn, was.Took
	if was.Status == c.Status {
		c.Since, c.Late = was.Since, was.Late
	}
	if c.Person {
		c.Asked = at
		if was.Person {
			c.Asked = was.Asked
		}
	}
	if turn && c.Turn == 0 {
		c.Turn = at
	}
	if c.Status == StatusTrue && c.Took == 0 && c.Turn != 0 {
		c.Took = max(1, at.Sub(c.Turn)) // what holds at once took a moment: 0 says that it never held
		s.keepPace(l.Record.Blueprint, c.Type, c.Took)
		s.building.paced = append(s.building.paced, Pace{l.Record.Blueprint, c.Type})
	}
	l.SetCondition(c)
	s.TouchLife(l.Record.Name)
}

// rebuildLives derives what is known about clusters that are built.
func (s *State) rebuildLives() {
	s.building = newBuilding()
	for _, l := range s.Lives {
		s.building.enter(l)
		s.building.touched[l.Record.Name] = true
		s.building.ledgers[l.Record.Account()] = true
		for _, c := range l.Conditions {
			if c.Took != 0 {
				s.keepPace(l.Record.Blueprint, c.Type, c.Took)
			}
		}
	}
}

// sleepingLives gives a fork lives of its own, in which nothing happens: a fork imagines
// what becomes of work, not of clusters that are built.
func (s *State) sleepingLives(c *State) {
	c.Lives, c.Accounts = cloneLives(s.Lives), cloneAccounts(s.Accounts)
	c.Blueprints = slices.Clone(s.Blueprints)
	c.building = newBuilding()
	c.building.paces, c.building.asleep = maps.Clone(s.building.paces), s.building.asleep || len(s.Lives) > 0
	for _, l := range c.Lives {
		c.building.enter(l)
	}
}

func cloneLives(list []*Life) []*Life {
	copied := clonePointers(list)
	for _, l := range copied {
		l.Touches, l.Steps, l.Evidence = slices.Clone(l.Touches), slices.Clone(l.Steps), slices.Clone(l.Evidence)
		l.Conditions, l.Reserved = slices.Clone(l.Conditions), slices.Clone(l.Reserved)
		l.Settled = maps.Clone(l.Settled)
	}
	return copied
}
