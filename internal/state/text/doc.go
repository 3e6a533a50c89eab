// Package text formats, and reads, what every message, table and page is made of: lengths of
// time, moments, counts, and texts from outside that have to be shortened.
//
//	duration.go   Duration (exact: 1h30m) and About (two units: 2d4h)
//	moment.go     Moment (a moment that is written out, read) and DayNamed (a day of the week)
//	back.go       Back (a moment of the past as people say it), Length (2w, 1d12h) AtClock and Clock (a time of a day)
//	wrongmoment.go  WrongMoment (what is wrong with a moment that could not be read)
//	count.go      Count (1 GPU, 2 GPUs), Group (12,345), Few (a, b and 3 more)
//	cell.go       Cell and Printable (texts of others in spreadsheets and terminals)
//	victim.go     Victim and GivesWay (why work must leave)
//	fold.go       Folded (names in a row as ranges)
//	unfold.go     Unfolded (a range of nodes that people wrote as its names)
//	nearest.go    Nearest (what was probably meant)
//	clip.go       Clip (by characters, for people) and Bound (by bytes, for limits)
//
// It is pure and imports no other room, so that any room may use it.
package text
