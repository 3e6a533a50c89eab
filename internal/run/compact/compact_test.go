package compact_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-fleet/muster/internal/run/compact"
)

// before and after are a type of two versions.
type before struct {
	Name   string `json:"name"`
	Gone   []leaf `json:"gone"`
	Map    map[string]*leaf
	Gaps   map[uint64]*before
	Count  int64 `json:"count"`
	Hidden int   `json:"-"`
	own    int
}

type leaf struct {
	On    bool
	Small uint8
	Texts [][]string
	Next  *leaf
}

type after struct {
	New   []int             // what is new comes first
	Count int               `json:"count"`
	Named string            `json:"name"`
	Gaps  map[uint64]*after // a type that contains itself
}

func roundTrip(t interface{ Fatal(...any) }, from, to any) {
	data, err := compact.Encode(from)
	if err == nil {
		err = compact.Decode(string(data), to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func draw() *rapid.Generator[before] {
	texts := rapid.SampledFrom([]string{"", "oak", "oak", "elm", "ü\x00"})
	leaves := rapid.Custom(func(t *rapid.T) leaf {
		l := leaf{On: rapid.Bool().Draw(t, "on"), Small: rapid.Uint8().Draw(t, "small")}
		switch rapid.IntRange(0, 3).Draw(t, "texts") {
		case 1:
			l.Texts = [][]string{}
		case 2:
			l.Texts = [][]string{nil, {}, {texts.Draw(t, "text")}}
		case 3:
			l.Next = &leaf{On: true}
		}
		return l
	})
	return rapid.Custom(func(t *rapid.T) before {
		b := before{Name: texts.Draw(t, "name"), Count: rapid.Int64().Draw(t, "count")}
		if rapid.Bool().Draw(t, "gone") {
			b.Gone = rapid.SliceOf(leaves).Draw(t, "leaves")
		}
		b.Map = rapid.MapOf(texts, rapid.Ptr(leaves, true)).Draw(t, "map")
		b.Gaps = map[uint64]*before{rapid.Uint64().Draw(t, "key"): {Name: "inside"}, math.MaxUint64: nil}
		return b
	})
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := draw().Draw(t, "value"), before{}
		roundTrip(t, &from, &to)
		if !reflect.DeepEqual(from, to) {
			t.Fatalf("%+v is read as %+v", from, to)
		}
		a, _ := compact.Encode(&from)
		if b, _ := compact.Encode(&to); string(a) != string(b) {
			t.Fatal("equal values give other bytes")
		}
	})
}

func TestWhatJSONLeavesOutIsLeftOut(t *testing.T) {
	from, to := before{Hidden: 1, own: 1}, before{Hidden: 2, own: 2}
	roundTrip(t, &from, &to)
	if to.Hidden != 2 || to.own != 2 {
		t.Errorf("read as %+v", to)
	}
}

func TestALaterVersionReadsWhatAnEarlierOneWrote(t *testing.T) {
	from := before{
		Name: "oak", Count: -7, Gone: []leaf{{On: true, Texts: [][]string{{"elm"}}, Next: &leaf{}}},
		Map: map[string]*leaf{"a": {Small: 9}, "b": nil}, Gaps: map[uint64]*before{5: {Name: "elm", Count: 3}},
	}
	to := after{New: []int{1}}
	roundTrip(t, &from, &to)
	want := after{New: []int{1}, Named: "oak", Count: -7, Gaps: map[uint64]*after{5: {Named: "elm", Count: 3}}}
	if !reflect.DeepEqual(to, want) {
		t.Errorf("read as %+v, want %+v", to, want)
	}
}

func TestAFieldOfAnotherKindIsNotRead(t *testing.T) {
	data, _ := compact.Encode(&before{Count: 1})
	var to struct {
		Count string `json:"count"`
	}
	if err := compact.Decode(string(data), &to); err == nil || !strings.Contains(err.Error(), "cannot be read as string") {
		t.Errorf("the error is %v", err)
	}
}

func TestWhatIsNoPlainDataIsNotWritten(t *testing.T) {
	var deep struct{ Deep []map[string]any }
	if _, err := compact.Encode(&deep); err == nil || !strings.Contains(err.Error(), "Deep: interface {} is no plain data") {
		t.Errorf("the error is %v", err)
	}
	var closed struct{ At time.Time }
	if _, err := compact.Encode(&closed); err == nil || !strings.Contains(err.Error(), "At: time.Time keeps what it says to itself") {
		t.Errorf("the error is %v", err)
	}
}

// FuzzDecode: whatever the bytes, an error or a value, never a panic.
func FuzzDecode(f *testing.F) {
	whole, _ := compact.Encode(&before{Name: "oak", Gone: []leaf{{Next: &leaf{}}}, Map: map[string]*leaf{"a": nil}})
	for n := range len(whole) + 1 {
		f.Add(string(whole[:n]))
	}
	f.Add(string(whole) + "x")
	f.Fuzz(func(t *testing.T, data string) {
		var to before
		if err := compact.Decode(data, &to); err == nil && data != string(whole) {
			if _, err := compact.Encode(&to); err != nil {
				t.Error(err)
			}
		}
		if len(data) < len(whole) && data == string(whole[:len(data)]) && compact.Decode(data, &to) == nil {
			t.Errorf("torn after %d of %d bytes, and read", len(data), len(whole))
		}
	})
}

// Floats come back to the bit, and what is embedded and shows nothing is left out.
func TestFloatsAndEmbeddedIndexes(t *testing.T) {
	type index struct{ by map[string]int }
	type plain struct {
		Share float64
		index
	}
	was := plain{Share: 0.1 + 0.2, index: index{map[string]int{"a": 1}}}
	data, err := compact.Encode(&was)
	if err != nil {
		t.Fatal(err)
	}
	var is plain
	if err := compact.Decode(string(data), &is); err != nil || is.Share != was.Share || is.by != nil {
		t.Errorf("%+v comes back as %+v (%v)", was, is, err)
	}
	if !compact.Fits(string(data), &is) || compact.Fits(string(data), &struct{ Share, More float64 }{}) {
		t.Error("data fits what it was not written for, or not what it was")
	}
}

// few is a list behind a pointer.
type few struct {
	List *[]leaf `compact:"list"`
}

// A list behind a pointer is written as a slice is, so that a field may become one without a break.
func TestAListBehindAPointerIsASlice(t *testing.T) {
	type sliced struct{ Leaves []leaf }
	type behind struct{ Leaves few }
	for _, list := range [][]leaf{nil, {{On: true}, {Small: 2}}} {
		was := sliced{list}
		var is behind
		roundTrip(t, &was, &is)
		if (is.Leaves.List == nil) != (list == nil) || list != nil && !reflect.DeepEqual(*is.Leaves.List, list) {
			t.Errorf("%v is read as %v", list, is.Leaves.List)
		}
		var again sliced
		roundTrip(t, &is, &again)
		if !reflect.DeepEqual(again, was) {
			t.Errorf("%v comes back as %v", was, again)
		}
		if a, _ := compact.Encode(&was); !compact.Fits(string(a), &is) {
			t.Error("the description is another")
		}
	}
	var empty behind
	roundTrip(t, &sliced{[]leaf{}}, &empty)
	if empty.Leaves.List != nil {
		t.Error("an empty list is kept behind a pointer")
	}
}
