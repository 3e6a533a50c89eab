package keys

import "slices"

// table finds the records that bear a key. A slot holds the tag of a key and, plus one,
// the number of its record, counted from the table's first; 0 is empty.
type table struct {
	first uint64
	slots []uint64
	count int
	holds int // it grows once it has so many
}

// A table grows when it is fuller than crowded of eight, and one that is full for good
// keeps as much room as tight of eight need.
const (
	crowded = 6
	tight   = 7
	small   = 64 // slots of a new table
)

// begin is where the search for a tag begins.
func (t *table) begin(tag uint32) int { return int(uint64(tag) * uint64(len(t.slots)) >> 32) }

func (t *table) add(tag uint32, seq uint64) {
	if t.count >= t.holds {
		t.resize(max(small, 2*t.count))
		t.holds = len(t.slots) * crowded / 8
	}
	t.put(uint64(tag)<<32 | (seq - t.first + 1))
	t.count++
}

func (t *table) put(slot uint64) {
	i := t.begin(uint32(slot >> 32))
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

// make makes room for so many keys, and no more than they need.
func (t *table) make(keys int) { t.slots, t.holds = make([]uint64, tightly(keys)), keys }

// settle gives back the room that a table needs no more, to which nothing is added. A little stays
// where it is: moving millions of keys takes time.
func (t *table) settle() {
	if size := tightly(t.count); size < len(t.slots)-len(t.slots)/4 {
		t.resize(size)
	}
}

func tightly(keys int) int { return keys*8/tight + 1 }

// find lists the records of a tag, the newest first.
func (t *table) find(tag uint32) (seqs []uint64) {
	if t.count == 0 {
		return nil
	}
	for i := t.begin(tag); t.slots[i] != 0; {
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
