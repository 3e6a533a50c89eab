package event

import "encoding/binary"

// word is one of the lists in packwords.go, with how it is written.
type word struct {
	text  string
	code  [2]byte
	bytes uint8 // of the code
	next  uint8 // the place after that of the next word in its chain, which is no longer; 0: there is none
}

// lexicon finds words by how they begin. Each start of the program makes it, so it is small.
type lexicon struct {
	list  []word
	pairs [1 << 16 / 64]uint64 // a bit for each two bytes with which a word begins: at most places of a text none does
	long  [256]uint8           // by the first four bytes: the place after that of the longest word, where words have as many
	short [256]uint8           // by the first two bytes: the same of the others
}

// words are all the words. There are fewer than 256 of them.
var words = func() *lexicon {
	l := &lexicon{list: make([]word, 0, len(often)+len(seldom))}
	for i, text := range often {
		l.add(word{text: text, code: [2]byte{byte(oftenFrom + i)}, bytes: 1})
	}
	for i, text := range seldom {
		l.add(word{text: text, code: [2]byte{seldomWord, byte(i)}, bytes: 2})
	}
	return l
}()

// add puts a word into its chain, behind those that are longer.
func (l *lexicon) add(w word) {
	start := []byte(w.text)
	pair := binary.LittleEndian.Uint16(start)
	l.pairs[pair/64] |= 1 << (pair % 64)
	at := &l.short[ofPair(start)]
	if len(start) >= 4 {
		at = &l.long[ofFour(start)]
	}
	for *at != 0 && len(l.list[*at-1].text) >= len(w.text) {
		at = &l.list[*at-1].next
	}
	w.next = *at
	*at = uint8(len(l.list) + 1)
	l.list = append(l.list, w)
}

// ofFour spreads texts by their first four bytes over 256 chains, and ofPair by their first two.
func ofFour(text []byte) uint8 { return uint8(binary.LittleEndian.Uint32(text) * 0x9E3779B1 >> 24) }

func ofPair(text []byte) uint8 { return text[0]*31 ^ text[1] }

// begins says whether a word begins with two bytes.
func (l *lexicon) begins(a, b byte) bool {
	pair := uint16(a) | uint16(b)<<8
	return l.pairs[pair/64]&(1<<(pair%64)) != 0
}

// longest is the longest word that a text of at least two bytes begins with; nil: it begins with none.
func (l *lexicon) longest(text []byte) *word {
	if len(text) >= 4 {
		if w := l.among(l.long[ofFour(text)], text); w != nil {
			return w
		}
	}
	return l.among(l.short[ofPair(text)], text)
}

// among is the first word of a chain that a text begins with.
func (l *lexicon) among(at uint8, text []byte) *word {
	for at != 0 {
		w := &l.list[at-1]
		if len(w.text) <= len(text) && w.text == string(text[:len(w.text)]) {
			return w
		}
		at = w.next
	}
	return nil
}
