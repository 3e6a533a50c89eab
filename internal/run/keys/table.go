package keys

import "slices"

// table finds the records that bear a key. A slot holds the tag of a key and, plus one,
// the number of its record, counted from the table's first; 0 is empty.
type table struct {
	first uint64
	slots []uint64
	count int
}

// A table grows when it is fuller than crowded of eight, and one that is full for good
// keeps as much room as tight of eight need.
const (
	crowded = 6
	tight   = 7
	small   = 64 // slots of a new table
)

// place is where the search for a tag begins.
func (t *table) place(tag uint32) int { return int(uint64(tag) * uint64(len(t.slots)) >> 32) }

func (t *table) add(tag uint32, seq uint64) {
	if 8*(t.count+1) > crowded*len(t.slots) {
		t.resize(max(small, 2*t.count))
	}
	t.put(uint64(tag)<<32 | (seq - t.first + 1))
	t.count++
}

func (t *table) put(slot uint64) {
	i := t.place(uint32(slot >> 32))
	for t.slots[i] != 0 {
		if i++; i == len(t.slots) {
			i = 0
		}
	}
	t.slots[i] = slot
}

func (t *table) resize(size int) {
	old := t.slots
	t.slots = make([]uint64, size)
	for _, slot := range old {
		if slot != 0 {
			t.put(slot)
		}
	}
}

// settle gives back the room that a table needs no more, to which nothing is added.
func (t *table) settle() {
	if size := t.count*8/tight + 1; size < len(t.slots) {
		t.resize(size)
	}
}

// find lists the records of a tag, the newest first.
func (t *table) find(tag uint32) (seqs []uint64) {
	if t.count == 0 {
		return nil
	}
	for i := t.place(tag); t.slots[i] != 0; {
		if slot := t.slots[i]; slot>>32 == uint64(tag) {
			seqs = append(seqs, t.first+slot&(1<<32-1)-1)
		}
		if i++; i == len(t.slots) {
			i = 0
		}
	}
	slices.Sort(seqs)
	slices.Reverse(seqs)
	return seqs
}
