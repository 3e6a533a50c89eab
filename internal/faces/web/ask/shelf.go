package ask

import "time"

// sweepEvery is how often at most a shelf is looked over for what is handed out no more.
const sweepEvery = time.Second

// Shelf keeps things within a number and a weight. Where there is too much, the owner who
// keeps most gives way, with all that is theirs, and not the others. It has no lock of its own.
type Shelf[T Kept] struct {
	Most  int // so many things
	Bytes int // that weigh so much together

	kept   map[string]*placed[T]
	owners map[string]*stock // of each owner who keeps something
	weighs int
	swept  time.Time
}

// stock is what one owner keeps.
type stock struct {
	names  map[string]bool
	weighs int
}

// Kept is a thing on a shelf.
type Kept interface {
	comparable
	Owner() string
	Weight() int // in bytes, as far as they are known yet
	// Over says whether it is too old to be handed out.
	Over(now time.Time) bool
}

// placed is a thing with what was counted for it.
type placed[T Kept] struct {
	thing   T
	counted int
}

// Get is the thing of a name; false: there is none.
func (s *Shelf[T]) Get(name string) (thing T, found bool) {
	if p := s.kept[name]; p != nil {
		return p.thing, true
	}
	return thing, false
}

// Put places a thing under a name, instead of what was there, and makes room for it first.
func (s *Shelf[T]) Put(name string, thing T) {
	if s.kept == nil {
		s.kept, s.owners = map[string]*placed[T]{}, map[string]*stock{}
	}
	s.Remove(name)
	s.sweep(time.Now())
	s.makeRoom(s.Most - 1)
	s.kept[name] = &placed[T]{thing: thing}
	own := s.owners[thing.Owner()]
	if own == nil {
		own = &stock{names: map[string]bool{}}
		s.owners[thing.Owner()] = own
	}
	own.names[name] = true
	s.count(s.kept[name], thing.Weight())
}

// sweep takes away what is over: while much changes, that is most of what is here.
func (s *Shelf[T]) sweep(now time.Time) {
	if now.Sub(s.swept) < sweepEvery {
		return
	}
	s.swept = now
	for name, p := range s.kept {
		if p.thing.Over(now) {
			s.Remove(name)
		}
	}
}

// count has a thing counted with so many bytes in place of what it was.
func (s *Shelf[T]) count(p *placed[T], bytes int) {
	s.weighs += bytes - p.counted
	s.owners[p.thing.Owner()].weighs += bytes - p.counted
	p.counted = bytes
}

// Weigh counts anew what a thing weighs that became heavier, if it is still there, and makes room.
func (s *Shelf[T]) Weigh(name string, thing T) {
	if p := s.kept[name]; p != nil && p.thing == thing {
		s.count(p, thing.Weight())
	}
	s.makeRoom(s.Most)
}

// Remove takes away what has this name, if anything.
func (s *Shelf[T]) Remove(name string) {
	p := s.kept[name]
	if p == nil {
		return
	}
	s.count(p, 0)
	delete(s.kept, name)
	who := p.thing.Owner()
	if delete(s.owners[who].names, name); len(s.owners[who].names) == 0 {
		delete(s.owners, who)
	}
}

// Clear takes everything away.
func (s *Shelf[T]) Clear() {
	clear(s.kept)
	clear(s.owners)
	s.weighs = 0
}

// makeRoom takes away what belongs to the owner who keeps most, until there are no more than
// so many things and they weigh no more than they may.
func (s *Shelf[T]) makeRoom(most int) {
	for len(s.kept) > most || s.weighs > s.Bytes {
		for name := range s.owners[s.heaviest()].names {
			s.Remove(name)
		}
	}
}

// heaviest is who keeps most; of equal ones the first by name.
func (s *Shelf[T]) heaviest() (who string) {
	for one, own := range s.owners {
		if most := s.owners[who]; most == nil || own.weighs > most.weighs || own.weighs == most.weighs && one < who {
			who = one
		}
	}
	return who
}
