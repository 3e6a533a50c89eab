package journal

// keepNewest snapshots are never thinned out, so that a damaged newest one has
// a stand-in close by.
const keepNewest = 3

// Thin says which snapshots are no longer worth their room, given the sequence
// numbers of all, ascending. It keeps the newest three, the oldest, and of the
// rest so many that the distance to the newest at most doubles from one to the
// next: looking back at a moment never reads more of the log than has been
// written since it, and a thousand snapshots thin out to under twenty.
func Thin(seqs []uint64) (drop []uint64) {
	if len(seqs) <= keepNewest {
		return nil
	}
	newest := seqs[len(seqs)-1]
	newer := seqs[len(seqs)-keepNewest]
	for i := len(seqs) - keepNewest - 1; i > 0; i-- {
		older := seqs[i-1]
		if newest-older <= 2*(newest-newer) {
			drop = append(drop, seqs[i])
			continue
		}
		newer = seqs[i]
	}
	return drop
}
