package fleet_test

import (
	"math/rand"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// randomKey makes keys that often agree in something.
func randomKey(r *rand.Rand) fleet.Key {
	return fleet.Key{
		Priority: fleet.Priority(r.Intn(4)), Rank: r.Intn(3), Surplus: r.Intn(2) == 0,
		Since: fleet.Instant(r.Intn(3)), ID: uint64(r.Intn(4)),
	}
}

// TestTheQuotasOrderIsAnOrder: of two different keys exactly one comes first, and
// a key before one that is before a third is before the third.
func TestTheQuotasOrderIsAnOrder(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewSource(seed))
	for range 200_000 {
		a, b, c := randomKey(r), randomKey(r), randomKey(r)
		if a.Before(b) == b.Before(a) && a != b {
			t.Fatalf("seed %d: of %+v and %+v none, or both, come first", seed, a, b)
		}
		if a.Before(b) && b.Before(c) && !a.Before(c) {
			t.Fatalf("seed %d: %+v, %+v, %+v come in a circle", seed, a, b, c)
		}
	}
}

// TestImportanceComesFirst tells the order by examples, each before the next.
func TestImportanceComesFirst(t *testing.T) {
	order := []struct {
		who string
		key fleet.Key
	}{
		{"a critical trainer", fleet.Key{Priority: fleet.Critical, Since: 9, ID: 9}},
		{"a critical grader", fleet.Key{Priority: fleet.Critical, Rank: 1, Since: 1, ID: 1}},
		{"an old mid one", fleet.Key{Priority: fleet.Mid, Since: 1, ID: 5}},
		{"a mid one of the same moment, submitted after it", fleet.Key{Priority: fleet.Mid, Since: 1, ID: 6}},
		{"a young mid one", fleet.Key{Priority: fleet.Mid, Since: 2, ID: 4}},
		{"the surplus of a mid one, however old", fleet.Key{Priority: fleet.Mid, Surplus: true, Since: 0, ID: 3}},
		{"a low one", fleet.Key{Priority: fleet.Low}},
	}
	for i := 0; i+1 < len(order); i++ {
		if !order[i].key.Before(order[i+1].key) {
			t.Errorf("%s does not come before %s", order[i].who, order[i+1].who)
		}
	}
}

func TestAccess(t *testing.T) {
	access := fleet.Access{Users: []string{"ada"}, Groups: []string{"post"}, Namespaces: []string{"tiger/post", "eval"}}
	for _, c := range []struct {
		user, group, namespace string
		want                   bool
	}{
		{"ada", "", "", true},
		{"bob", "post", "", true},
		{"bob", "", "post", true}, // written with its cluster
		{"bob", "", "eval", true}, // written for every cluster
		{"bob", "pre", "tiger", false},
		{"", "", "", false},
	} {
		if got := access.Allows(c.user, []string{c.group}, c.namespace); got != c.want {
			t.Errorf("user %q, group %q, namespace %q: allowed %v, want %v", c.user, c.group, c.namespace, got, c.want)
		}
	}
	if !(fleet.Access{}).Allows("anyone", nil, "") {
		t.Error("without a list not everyone may")
	}
}
