package words

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A setting of the policy that is changed is told, whichever it is: in the sentence about the policy, and in what changes.
func TestEverySettingOfThePolicyIsTold(t *testing.T) {
	base := fleet.DefaultPolicy()
	base.Maintenance = base.Maintenance.OrDefault()
	leaves(reflect.ValueOf(&base).Elem(), "Policy", func(field reflect.Value, name string) {
		if strings.HasPrefix(name, "Policy.Buffer.") {
			return // the buffer has a text of its own
		}
		was, silent := base, policySet(base)
		another(t, field, name)
		if policySet(base) == silent || PolicyChange(was, base) == "" || PolicyChange(base, base) != "" {
			t.Errorf("%s changes, and nothing tells it: %s", name, policySet(base))
		}
		base = was
	})
}

// The sentence says what matters most, and what differs from the defaults.
func TestThePolicyIsToldInASentence(t *testing.T) {
	p := fleet.DefaultPolicy()
	p.OpenReading, p.Dwell, p.Maintenance = true, 2*time.Hour, p.Maintenance.OrDefault()
	p.Maintenance.ZoneDays = 14
	const want = "the fleet's policy is now: buffer fixed 15 %, dwell 2h, probation 24h, no-fly days of quotas a quarter 14, open reading yes"
	if got := policySet(p); got != want {
		t.Errorf("it is told as\n%s, want\n%s", got, want)
	}
	const change = "dwell 2h → 24h, no-fly days of quotas a quarter 14 → without limit, open reading yes → no"
	if got := PolicyChange(p, fleet.DefaultPolicy()); got != change {
		t.Errorf("the change is told as\n%s, want\n%s", got, change)
	}
}

// leaves visits the fields of a value that are no structs themselves.
func leaves(v reflect.Value, name string, visit func(field reflect.Value, name string)) {
	if v.Kind() != reflect.Struct {
		visit(v, name)
		return
	}
	for i := range v.NumField() {
		leaves(v.Field(i), name+"."+v.Type().Field(i).Name, visit)
	}
}

// another gives a field another value.
func another(t *testing.T, field reflect.Value, name string) {
	t.Helper()
	switch field.Kind() {
	case reflect.Bool:
		field.SetBool(!field.Bool())
	case reflect.Int, reflect.Int64:
		field.SetInt(field.Int() + int64(time.Minute))
	default:
		t.Fatalf("%s is a %s: say here what another value of it is", name, field.Kind())
	}
}
