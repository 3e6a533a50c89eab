package event

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is packed comes back to the byte, whatever it is.
func TestWhatIsPackedComesBack(t *testing.T) {
	lines := readExamples(t)
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		if rapid.Bool().Draw(t, "of a record") {
			line := rapid.SampledFrom(lines).Draw(t, "line")
			at := rapid.IntRange(0, len(line)).Draw(t, "at")
			data = append(append(bytes.Clone(line[:at]), data...), line[at:]...)
		}
		back, err := Unpack(Pack(data))
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%q comes back as %q (%v)", data, back, err)
		}
	})
}

// The lists never change: these bytes are in logs that people have on disk.
func TestPackedRecordsOfBeforeAreRead(t *testing.T) {
	const record = `{"seq":149,"at":1795362411832128047,"actor":"driver","events":[{"kind":"replicas.stopped","v":1,"data":{"id":97,"spots":[{"pool":0,"nodes":[15],"order":144}]}}]}`
	const packed = "\x01\x80\x02\x95\x01\x81\x02\xaf\xe4\xde\x82\x9f\x93\x9a\xf5\x18\x82\xa597\xb00\xb315\xb4\x02\x90\x01\x94"
	if got := Pack([]byte(record)); string(got) != packed {
		t.Errorf("it is packed as\n%q, want\n%q", got, packed)
	}
	if got, err := Unpack([]byte(packed)); err != nil || string(got) != record {
		t.Errorf("it is unpacked as %s (%v)", got, err)
	}
	if len(often) > 128 || len(seldom) > 256 {
		t.Errorf("%d and %d words have no codes", len(often), len(seldom))
	}
	var all, small int
	for _, line := range readExamples(t) {
		all, small = all+len(line), small+len(Pack(line))
		a, err := Decode(line)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Decode(Pack(line))
		if err != nil || a.Seq != b.Seq || len(a.Events) != len(b.Events) {
			t.Errorf("packed, %s is read as %+v (%v)", line, b, err)
		}
	}
	t.Logf("%d bytes of records of every kind are packed in %d", all, small)
}

func TestWhatCannotBeUnpackedIsSaid(t *testing.T) {
	for _, data := range []string{"\x01\x02", "\x01\x02\xff", "\x01\x03", "\x01\x03\xff", "\x01\xff", "\x01\x00", "\x01\x04"} {
		if _, err := Unpack([]byte(data)); err == nil || !strings.Contains(err.Error(), "newer Muster") {
			t.Errorf("%q gives %v", data, err)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	record := readExamples(b)[0]
	for b.Loop() {
		Pack(record)
	}
}

// Records are packed by the longest words, as logs of before are: the same record has the same bytes, and the same hash.
func TestTheLongestWordIsFound(t *testing.T) {
	all := append(append([]string{}, often[:]...), seldom[:]...)
	slowly := func(text []byte) (found string) {
		for _, w := range all {
			if len(w) > len(found) && bytes.HasPrefix(text, []byte(w)) {
				found = w
			}
		}
		return found
	}
	lines := readExamples(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(lines).Draw(t, "line")
		if rapid.Bool().Draw(t, "of words") {
			text = []byte(strings.Join(rapid.SliceOf(rapid.SampledFrom(all)).Draw(t, "words"), ""))
		}
		for i := range text {
			found := ""
			if i+1 == len(text) || !words.begins(text[i], text[i+1]) {
				// no word is looked for
			} else if w := words.longest(text[i:]); w != nil {
				found = w.text
			}
			if want := slowly(text[i:]); found != want {
				t.Fatalf("%q begins with %q, and not %q", text[i:], want, found)
			}
		}
	})
}

// A number of twenty digits may be more than 64 bits hold.
func TestTheLargestNumbersArePacked(t *testing.T) {
	for text, packed := range map[string]string{
		"18446744073709551615":  "\x01\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"18446744073709551616":  "\x011\x02\x80\x80\xe0\xb0\xb7\x9f\xb7\x9cu",
		"184467440737095516150": "\x01\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x010",
	} {
		if got := Pack([]byte(text)); string(got) != packed {
			t.Errorf("%s is packed as %q, want %q", text, got, packed)
		}
	}
}
