package event

import (
	"encoding/binary"
	"fmt"
	"strconv"
)

// A record in the log is packed: words that come often, and numbers, take a byte or a few. It begins
// with a byte that says by which list of words; a record that begins with a brace is not packed, as
// in logs of earlier versions. Pack and Unpack lose nothing, whatever the bytes.
//
//	packedBy1     first byte: packed by the lists in packwords.go
//	0x80 …        the word of that place in the list often
//	seldomWord    and a byte: the word of that place in the list seldom
//	aNumber       and a varint: a whole number, in digits
//	asItIs        and a byte: that byte
//	other bytes   themselves
const (
	packedBy1  = 0x01
	aNumber    = 0x02
	seldomWord = 0x03
	asItIs     = 0x04
	oftenFrom  = 0x80
)

// leastDigits is from how many digits on a number is shorter as a varint.
const leastDigits = 3

// word is one of a list, with how it is written.
type word struct {
	text string
	code []byte
}

// packing finds words by their first byte and then their second, the longest first. Each start of the program makes it,
// so there is a table only for bytes with which words begin.
var packing = func() (by [256]*[256][]word) {
	add := func(text string, code ...byte) {
		if by[text[0]] == nil {
			by[text[0]] = new([256][]word)
		}
		at := &by[text[0]][text[1]]
		list := append(*at, word{text, code})
		for i := len(list) - 1; i > 0 && len(list[i].text) > len(list[i-1].text); i-- {
			list[i], list[i-1] = list[i-1], list[i]
		}
		*at = list
	}
	for i, text := range often {
		add(text, byte(oftenFrom+i))
	}
	for i, text := range seldom {
		add(text, seldomWord, byte(i))
	}
	return by
}()

// Pack makes what Encode wrote shorter, for the log.
func Pack(record []byte) []byte {
	out := append(make([]byte, 0, len(record)/2+16), packedBy1)
	for i := 0; i < len(record); {
		if code, n := packWord(record[i:]); n > 0 {
			out, i = append(out, code...), i+n
			continue
		}
		if n, digits := packNumber(record[i:]); digits > 0 {
			out, i = binary.AppendUvarint(append(out, aNumber), n), i+digits
			continue
		}
		if b := record[i]; b >= oftenFrom || b <= asItIs {
			out = append(out, asItIs)
		}
		out = append(out, record[i])
		i++
	}
	return out
}

// packWord finds the longest word that a text begins with.
func packWord(text []byte) (code []byte, n int) {
	if len(text) < 2 || packing[text[0]] == nil {
		return nil, 0
	}
	for _, w := range packing[text[0]][text[1]] {
		if len(w.text) <= len(text) && w.text == string(text[:len(w.text)]) {
			return w.code, len(w.text)
		}
	}
	return nil, 0
}

// packNumber reads the number that a text begins with; no digits: there is none that is shorter packed.
func packNumber(text []byte) (n uint64, digits int) {
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' && digits < 20 {
		digits++
	}
	if digits < leastDigits || text[0] == '0' {
		return 0, 0
	}
	n, err := strconv.ParseUint(string(text[:digits]), 10, 64)
	if err != nil {
		return 0, 0
	}
	return n, digits
}

// Unpack returns what Encode wrote, of a record of the log of any version.
func Unpack(data []byte) ([]byte, error) {
	if len(data) == 0 || data[0] != packedBy1 {
		return data, nil
	}
	out := make([]byte, 0, 4*len(data))
	for rest := data[1:]; len(rest) > 0; {
		b := rest[0]
		rest = rest[1:]
		n := 0
		switch {
		case b >= oftenFrom && int(b-oftenFrom) < len(often):
			out = append(out, often[b-oftenFrom]...)
		case b == aNumber:
			var value uint64
			if value, n = binary.Uvarint(rest); n > 0 {
				out = strconv.AppendUint(out, value, 10)
			}
		case b == seldomWord && len(rest) > 0 && int(rest[0]) < len(seldom):
			out, n = append(out, seldom[rest[0]]...), 1
		case b == asItIs && len(rest) > 0:
			out, n = append(out, rest[0]), 1
		case b > asItIs && b < oftenFrom:
			out = append(out, b)
		default:
			n = -1
		}
		if n < 0 || n == 0 && b == aNumber {
			return nil, fmt.Errorf("record: byte %d cannot be unpacked; a newer Muster wrote it, or it is damaged", len(data)-len(rest)-1)
		}
		rest = rest[n:]
	}
	return out, nil
}
