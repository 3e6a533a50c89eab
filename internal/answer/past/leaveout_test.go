package past

import (
	"reflect"
	"testing"
)

// TestEveryMeterLeavesOutATimeWithoutAServer: a new field of Notes whose meters count on while no server runs is named.
func TestEveryMeterLeavesOutATimeWithoutAServer(t *testing.T) {
	b, seen := New(), 0
	fields := reflect.ValueOf(&b.Notes).Elem()
	for i := range fields.NumField() {
		meters, ok := fields.Field(i).Interface().(map[string]*Meter)
		if !ok {
			continue
		}
		seen++
		m := newMeter(1, 0)
		m.set(0, 0, 8)
		meters["tiger/h200 x"] = m
	}
	b.leaveOut(hour, 3*hour)
	for i := range fields.NumField() {
		if meters, ok := fields.Field(i).Interface().(map[string]*Meter); ok && meters["tiger/h200 x"].At != 3*hour {
			t.Errorf("%s: counts in a time in which no server ran; leaveOut (gaps.go) leaves it out", fields.Type().Field(i).Name)
		}
	}
	if seen < 4 {
		t.Errorf("only %d maps of meters were found", seen)
	}
}
