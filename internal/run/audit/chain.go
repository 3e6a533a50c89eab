package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Link is the end of a chain of records of the journal; the zero value is the beginning.
type Link [sha256.Size]byte

// String is the link in hex.
func (l Link) String() string { return hex.EncodeToString(l[:]) }

// ParseLink reads what String wrote.
func ParseLink(text string) (l Link, err error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(l) {
		return l, fmt.Errorf("%.80q is no link: it has %d hex digits", text, 2*len(l))
	}
	return Link(raw), nil
}

// Extend is the link after one more record: SHA-256 over the link before it, its number, its
// moment and its bytes as the journal has them.
func (l Link) Extend(seq uint64, at int64, data []byte) Link {
	h := sha256.New()
	_, _ = h.Write(l[:])
	var head [16]byte
	binary.BigEndian.PutUint64(head[:8], seq)
	binary.BigEndian.PutUint64(head[8:], uint64(at))
	_, _ = h.Write(head[:])
	_, _ = h.Write(data)
	return Link(h.Sum(nil))
}

// line is an entry as the file has it: the code is of all lines up to this one.
type line struct {
	Entry json.RawMessage `json:"entry"`
	Code  string          `json:"code"`
}

// code is the keyed code of an entry that follows a line with another code.
func code(key []byte, before string, entry []byte) string {
	h := hmac.New(sha256.New, key)
	_, _ = h.Write([]byte(before))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write(entry)
	return hex.EncodeToString(h.Sum(nil))
}
