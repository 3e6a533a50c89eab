package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// poolShape is 16x8, or 2..64x1.
var poolShape = regexp.MustCompile(`^(\d+)(?:\.\.(\d+))?x(\d+)$`)

// Bounds of a pool: a number beyond them is a typing error.
const (
	mostReplicas = 1_000_000
	mostPerNode  = 64
	mostRank     = 1000
)

var reaches = []string{"rack", "island", "any"}

// readPools reads pools from the command line.
func readPools(texts []string) ([]*musterv1.Pool, error) {
	pools := make([]*musterv1.Pool, len(texts))
	seen := map[string]bool{}
	for i, text := range texts {
		p, err := readPool(text)
		if err != nil {
			return nil, err
		}
		if seen[p.GetName()] {
			return nil, usage("two pools are named %q; name each once", p.GetName())
		}
		seen[p.GetName()], pools[i] = true, p
	}
	return pools, nil
}

// readPool reads NAME=SHAPE[,rank=N][,reach=R].
func readPool(given string) (*musterv1.Pool, error) {
	name, rest, ok := strings.Cut(given, "=")
	if !ok || name == "" {
		return nil, badPool(given)
	}
	parts := strings.Split(rest, ",")
	p := &musterv1.Pool{Name: name}
	if !readShape(p, parts[0]) {
		return nil, badPool(given)
	}
	for _, part := range parts[1:] {
		if err := readTrait(p, given, part); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func badPool(given string) error {
	_, rest, _ := strings.Cut(given, "=")
	shape, _, _ := strings.Cut(rest, ",")
	return usage("--pool %.60q is no pool; %s", given, shapeHelp(shape, "write NAME=16x8 for a gang of 16 replicas of 8 GPUs, NAME=2..64x1 for an elastic pool"))
}

// shapeHelp says what a shape has to be: which numbers it takes, where it has the right form.
func shapeHelp(shape, form string) string {
	if !poolShape.MatchString(shape) {
		return form
	}
	first := ""
	if strings.Contains(shape, "..") {
		first = ", the least first,"
	}
	return fmt.Sprintf("it takes 1 to %s replicas%s of 1 to %d GPUs", text.Group(mostReplicas), first, mostPerNode)
}

func readShape(p *musterv1.Pool, shape string) bool {
	m := poolShape.FindStringSubmatch(shape)
	if m == nil {
		return false
	}
	first, ok1 := within(m[1], 1, mostReplicas)
	gpus, ok2 := within(m[3], 1, mostPerNode)
	p.Gpus = gpus
	if m[2] == "" {
		p.Replicas = first
		return ok1 && ok2
	}
	last, ok3 := within(m[2], int64(first), mostReplicas)
	p.Min, p.Max = first, last
	return ok1 && ok2 && ok3
}

func within(digits string, least, most int64) (int32, bool) {
	n, err := strconv.ParseInt(digits, 10, 32)
	return int32(n), err == nil && n >= least && n <= most
}

func readTrait(p *musterv1.Pool, given, part string) error {
	key, value, _ := strings.Cut(part, "=")
	switch key {
	case "rank":
		rank, ok := within(value, 0, mostRank)
		if !ok {
			return usage("--pool %.60q: rank is %.20q; write a whole number from 0 to %d", given, value, mostRank)
		}
		p.Rank = rank
	case "reach":
		if !slices.Contains(reaches, value) {
			return usage("--pool %.60q: reach is %.20q; write rack, island or any", given, value)
		}
		p.Reach = value
	default:
		return usage("--pool %.60q: %.20q is not known; after the shape come rank=N and reach=rack|island|any", given, part)
	}
	return nil
}
