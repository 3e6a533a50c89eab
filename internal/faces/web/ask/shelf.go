package ask

// Shelf keeps things within a number and a weight. Where there is too much, the owner who
// keeps most gives way, with all that is theirs, and not the others. It has no lock of its own.
type Shelf[T Kept] struct {
	Most  int // so many things
	Bytes int // that weigh so much together

	kept   map[string]*placed[T]
	weighs int
}

// Kept is a thing on a shelf.
type Kept interface {
	comparable
	Owner() string
	Weight() int // in bytes, as far as they are known yet
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
		s.kept = map[string]*placed[T]{}
	}
	s.Remove(name)
	s.makeRoom(s.Most - 1)
	s.kept[name] = &placed[T]{thing, thing.Weight()}
	s.weighs += thing.Weight()
}

// Weigh counts anew what a thing weighs that became heavier, if it is still there, and makes room.
func (s *Shelf[T]) Weigh(name string, thing T) {
	if p := s.kept[name]; p != nil && p.thing == thing {
		s.weighs += thing.Weight() - p.counted
		p.counted = thing.Weight()
	}
	s.makeRoom(s.Most)
}

// Remove takes away what has this name, if anything.
func (s *Shelf[T]) Remove(name string) {
	if p := s.kept[name]; p != nil {
		delete(s.kept, name)
		s.weighs -= p.counted
	}
}

// Clear takes everything away.
func (s *Shelf[T]) Clear() {
	clear(s.kept)
	s.weighs = 0
}

// makeRoom takes away what belongs to the owner who keeps most, until there are no more than
// so many things and they weigh no more than they may.
func (s *Shelf[T]) makeRoom(most int) {
	for len(s.kept) > most || s.weighs > s.Bytes {
		weights := map[string]int{}
		for _, p := range s.kept {
			weights[p.thing.Owner()] += p.counted
		}
		who := heaviest(weights)
		for name, p := range s.kept {
			if p.thing.Owner() == who {
				s.Remove(name)
			}
		}
	}
}

// heaviest is whose share is the largest; of equal ones the first by name.
func heaviest(weights map[string]int) (who string) {
	for one, n := range weights {
		if most, known := weights[who]; !known || n > most || n == most && one < who {
			who = one
		}
	}
	return who
}
