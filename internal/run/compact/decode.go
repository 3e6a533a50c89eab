package compact

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
)

// errTorn: what was to be read is not what Encode wrote.
var errTorn = errors.New("compact: the data is torn")

// Decode reads what Encode wrote into what a pointer points at. Fields that the data
// does not know stay as they are. It fails where the data is torn, or where a field
// has become of another kind; the value must then not be used.
func Decode(data string, pointer any) error {
	r := &reader{s: data}
	root := r.description()
	if r.err != nil {
		return r.err
	}
	v := reflect.ValueOf(pointer).Elem()
	plans := &plans{of: map[planKey]*plan{}}
	p := plans.make(root, v.Type())
	if plans.err != nil {
		return plans.err
	}
	p.read(r, v)
	if r.err == nil && r.s != "" {
		r.err = errTorn
	}
	return r.err
}

// reader reads what is left in s, until err.
type reader struct {
	s     string
	texts []string
	err   error
}

func (r *reader) fail() { r.s, r.err = "", errTorn }

func (r *reader) byte() byte {
	if r.s == "" {
		r.fail()
		return 0
	}
	b := r.s[0]
	r.s = r.s[1:]
	return b
}

func (r *reader) uint() (n uint64) {
	for i := range len(r.s) {
		b := r.s[i]
		if i == binary.MaxVarintLen64 {
			break
		}
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.s = r.s[i+1:]
			return n
		}
	}
	r.fail()
	return 0
}

func (r *reader) int() int64 {
	n := r.uint()
	return int64(n>>1) ^ -int64(n&1)
}

// count reads how many values follow, less than there are bytes for; -1 is nil.
func (r *reader) count() int {
	n := r.uint()
	if n > uint64(len(r.s))+1 {
		r.fail()
		return -1
	}
	return int(n) - 1
}

// text reads a text. It shares the memory of the data.
func (r *reader) text() string {
	n := r.uint()
	if n > uint64(len(r.texts)) {
		r.fail()
	}
	if r.err != nil {
		return ""
	}
	if n > 0 {
		return r.texts[n-1]
	}
	long := r.uint()
	if long > uint64(len(r.s)) {
		r.fail()
		return ""
	}
	s := r.s[:long]
	r.s, r.texts = r.s[long:], append(r.texts, s)
	return s
}

// description reads the shape of what follows.
func (r *reader) description() *shape {
	n := r.count() + 1
	structs := make([]*shape, n)
	for i := range structs {
		structs[i] = &shape{kind: kindStruct, number: i}
	}
	for _, d := range structs {
		for range r.count() + 1 {
			d.fields = append(d.fields, field{name: r.text(), is: r.shape(structs)})
		}
	}
	return r.shape(structs)
}

func (r *reader) shape(structs []*shape) *shape {
	d := &shape{kind: r.byte()}
	switch d.kind {
	case kindBool, kindInt, kindUint, kindString, kindFloat:
	case kindPointer, kindSlice:
		d.of = r.shape(structs)
	case kindMap:
		d.key, d.of = r.shape(structs), r.shape(structs)
	case kindStruct:
		n := r.uint()
		if n < uint64(len(structs)) {
			return structs[n]
		}
		r.fail()
	default:
		r.fail()
	}
	return d
}

// plan is how values of a shape are read into values of a Go type, or passed over
// where there is no type.
type plan struct {
	shape   *shape
	in      reflect.Type // nil: passed over
	of, key *plan
	fields  []step
}

type step struct {
	at   int // in the Go type; -1: it has no such field
	plan *plan
}

type planKey struct {
	shape *shape
	in    reflect.Type
}

type plans struct {
	of  map[planKey]*plan
	err error
}

func (ps *plans) make(d *shape, t reflect.Type) *plan {
	if p := ps.of[planKey{d, t}]; p != nil {
		return p
	}
	p := &plan{shape: d, in: t}
	ps.of[planKey{d, t}] = p
	if t != nil && kindOf(t) != d.kind {
		ps.err = fmt.Errorf("compact: %q cannot be read as %s", d.kind, t)
		return p
	}
	switch d.kind {
	case kindPointer:
		p.of = ps.make(d.of, part(t, reflect.Type.Elem))
	case kindSlice:
		p.of = ps.make(d.of, part(t, func(t reflect.Type) reflect.Type { return listType(t).Elem() }))
	case kindMap:
		p.key, p.of = ps.make(d.key, part(t, reflect.Type.Key)), ps.make(d.of, part(t, reflect.Type.Elem))
	case kindStruct:
		p.fields = ps.steps(d, t)
	}
	return p
}

func part(t reflect.Type, of func(reflect.Type) reflect.Type) reflect.Type {
	if t == nil {
		return nil
	}
	return of(t)
}

func (ps *plans) steps(d *shape, t reflect.Type) []step {
	at := map[string]int{}
	if t != nil {
		for i, name := range namesOf(t) {
			at[name] = i
		}
	}
	list := make([]step, len(d.fields))
	for i, f := range d.fields {
		if k, ok := at[f.name]; ok && f.name != "" {
			list[i] = step{k, ps.make(f.is, t.Field(k).Type)}
		} else {
			list[i] = step{-1, ps.make(f.is, nil)}
		}
	}
	return list
}

// read reads a value into v.
func (p *plan) read(r *reader, v reflect.Value) {
	if r.err != nil {
		return
	}
	switch p.shape.kind {
	case kindBool:
		v.SetBool(r.byte() != 0)
	case kindInt:
		v.SetInt(r.int())
	case kindUint:
		v.SetUint(r.uint())
	case kindString:
		v.SetString(r.text())
	case kindFloat:
		v.SetFloat(math.Float64frombits(r.uint()))
	case kindStruct:
		for _, f := range p.fields {
			if f.at < 0 {
				f.plan.pass(r)
			} else {
				f.plan.read(r, v.Field(f.at))
			}
		}
	default:
		p.readHeld(r, v)
	}
}

func (p *plan) readHeld(r *reader, v reflect.Value) {
	n := r.count()
	switch {
	case n < 0:
		v.SetZero()
	case p.shape.kind == kindPointer:
		v.Set(reflect.New(p.in.Elem()))
		p.of.read(r, v.Elem())
	case p.shape.kind == kindSlice:
		p.readList(r, v, n)
	default:
		p.readMap(r, v, n)
	}
}

// readList reads a slice, or a list behind a pointer, which stays nil where the slice is empty.
func (p *plan) readList(r *reader, v reflect.Value, n int) {
	t := listType(p.in)
	list := reflect.MakeSlice(t, n, n)
	for i := range n {
		p.of.read(r, list.Index(i))
	}
	if t == p.in {
		v.Set(list)
		return
	}
	v.SetZero()
	if n > 0 {
		v.Field(0).Set(reflect.New(t))
		v.Field(0).Elem().Set(list)
	}
}

func (p *plan) readMap(r *reader, v reflect.Value, n int) {
	v.Set(reflect.MakeMapWithSize(p.in, n))
	key, value := reflect.New(p.in.Key()).Elem(), reflect.New(p.in.Elem()).Elem()
	for range n {
		key.SetZero() // what a field leaves as it is must not come from the one before
		value.SetZero()
		p.key.read(r, key)
		p.of.read(r, value)
		if r.err != nil {
			return
		}
		v.SetMapIndex(key, value)
	}
}

// pass passes over a value.
func (p *plan) pass(r *reader) {
	if r.err != nil {
		return
	}
	switch p.shape.kind {
	case kindBool:
		r.byte()
	case kindInt, kindUint, kindFloat:
		r.uint()
	case kindString:
		r.text()
	case kindStruct:
		for _, f := range p.fields {
			f.plan.pass(r)
		}
	default:
		n := r.count()
		if p.shape.kind == kindPointer {
			n = min(n+1, 1)
		}
		for range max(0, n) {
			if p.key != nil {
				p.key.pass(r)
			}
			p.of.pass(r)
		}
	}
}
