package keys

// Bound lets an index know fewer keys than usual, and in smaller parts.
func (x *Index) Bound(most, each int) { x.most, x.each = most, each }
