package event

import (
	"encoding/binary"
	"fmt"
	"math"
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

// Pack makes what Encode wrote shorter, for the log.
func Pack(record []byte) []byte {
	out := append(make([]byte, 0, len(record)/2+16), packedBy1)
	for i := 0; i < len(record); {
		b := record[i]
		if i+1 < len(record) && words.begins(b, record[i+1]) {
			if w := words.longest(record[i:]); w != nil {
				out, i = append(out, w.code[:w.bytes]...), i+len(w.text)
				continue
			}
		}
		if b > '0' && b <= '9' {
			if n, digits := packNumber(record[i:]); digits > 0 {
				out, i = binary.AppendUvarint(append(out, aNumber), n), i+digits
				continue
			}
		}
		if b >= oftenFrom || b <= asItIs {
			out = append(out, asItIs)
		}
		out = append(out, b)
		i++
	}
	return out
}

// packNumber reads the number that a text begins with, not with 0; no digits: there is none that is shorter packed.
func packNumber(text []byte) (n uint64, digits int) {
	for digits < len(text) && digits < 20 {
		d := uint64(text[digits]) - '0'
		if d > 9 {
			break
		}
		if digits == 19 && n > (math.MaxUint64-d)/10 {
			return 0, 0
		}
		n = 10*n + d
		digits++
	}
	if digits < leastDigits {
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
