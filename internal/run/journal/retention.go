package journal

// keepNewest snapshots are never thinned out, so that a damaged newest one has
// a stand-in close by. keepSpread bounds how many older ones are kept.
// In the oldest seven eighths of the log they are so many times further apart.
const (
	keepNewest = 3
	keepSpread = 512
	oldApart   = 4
)

// Thin says which snapshots may be dropped, given the sequence numbers of all, ascending.
// It keeps the newest three, the oldest, and of the rest one in each stretch of the log.
// A stretch is a power of two, and the log has at most 512 of them; before its last eighth four of
// them count as one. So a snapshot is never further than two stretches from any moment of the
// past, and how many there are, 180 at most, does not grow with the log.
func Thin(seqs []uint64) (drop []uint64) {
	if len(seqs) <= keepNewest {
		return nil
	}
	stretch := uint64(1)
	for seqs[len(seqs)-1]/stretch >= keepSpread {
		stretch *= 2
	}
	kept := seqs[0]
	for _, seq := range seqs[1 : len(seqs)-keepNewest] {
		wide := stretch
		if newest := seqs[len(seqs)-1]; seq < newest-newest/8 {
			wide *= oldApart
		}
		if seq/wide == kept/wide {
			drop = append(drop, seq)
			continue
		}
		kept = seq
	}
	return drop
}
