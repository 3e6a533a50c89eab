package simulate

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/prove/trace"
)

// Declare says which maximum run time jobs declare: how long they really run
// times a factor drawn evenly from Least to Most. The zero value declares none.
type Declare struct{ Least, Most float64 }

// maxRuntime is what a job declares. What is drawn for one job depends on
// nothing but the seed and its name.
func (d Declare) maxRuntime(j trace.Job, seed uint64) time.Duration {
	if d.Most == 0 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte("declare/" + j.Team + "/" + j.ID))
	factor := d.Least + (d.Most-d.Least)*rand.New(rand.NewPCG(seed, h.Sum64())).Float64()
	return time.Duration(float64(j.Duration) * factor)
}

// ParseDeclare reads a range of factors such as 1..3; "" declares nothing.
func ParseDeclare(text string) (Declare, error) {
	if text == "" {
		return Declare{}, nil
	}
	least, most, _ := strings.Cut(text, "..")
	a, err := strconv.ParseFloat(least, 64)
	b, err2 := strconv.ParseFloat(most, 64)
	if err != nil || err2 != nil || !(a >= 1 && a <= b && b <= 1000) {
		return Declare{}, fmt.Errorf("%.40q is no range of factors from 1 to 1000; write it as 1..3", text)
	}
	return Declare{a, b}, nil
}
