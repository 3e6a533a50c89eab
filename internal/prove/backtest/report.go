package backtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/muster-fleet/muster/internal/decide/promise/trial"
)

// Row is what came of one policy, over one horizon, on pools of one kind.
type Row struct {
	Policy  string  `json:"policy"`
	Wanted  float64 `json:"wanted"` // confidence that was claimed; 0: the policy claims none
	Group   string  `json:"pools"`
	Nodes   int     `json:"nodes"` // of one pool, on average
	Pools   int     `json:"number_of_pools"`
	Horizon int     `json:"horizon_hours"`
	Figures
}

// Group is pools that are judged together.
type Group struct {
	Name  string
	Pools []Pool
}

// Options are what a backtest tries.
type Options struct {
	Groups   []Group
	Policies []Policy
	Horizons []int // hours
	From, To int   // the part of the past to use, in hours; To 0: to its end
	Progress func(done, of int)
}

// Run tries every policy on every group over every horizon. Rows stand in that
// order: groups, horizons, policies.
func Run(ctx context.Context, o Options) ([]Row, error) {
	var rows []Row
	done, of := 0, len(o.Groups)*len(o.Policies)*len(o.Horizons)
	for _, g := range o.Groups {
		pools := o.part(g.Pools)
		for _, horizon := range o.Horizons {
			for _, policy := range o.Policies {
				if err := context.Cause(ctx); err != nil {
					return nil, err
				}
				row, err := tryAll(g.Name, pools, policy, horizon)
				if err != nil {
					return nil, err
				}
				rows = append(rows, row)
				if done++; o.Progress != nil {
					o.Progress(done, of)
				}
			}
		}
	}
	return rows, nil
}

// part is the hours of the past that are asked for, as if nothing had been before.
func (o Options) part(pools []Pool) []Pool {
	if o.From == 0 && o.To == 0 {
		return pools
	}
	out := make([]Pool, len(pools))
	for i, p := range pools {
		to := o.To
		if to == 0 {
			to = len(p.Hours)
		}
		out[i] = p.cut(o.From, to)
	}
	for i, rate := 0, rates(out); i < len(out); i++ {
		out[i].Rate = rate
	}
	return out
}

// errShort is a past in which no promise's horizon is over.
var errShort = errors.New("the past is shorter than the horizon")

func tryAll(group string, pools []Pool, policy Policy, horizon int) (Row, error) {
	row := Row{Policy: policy.String(), Group: group, Pools: len(pools), Horizon: horizon}
	if !trial.KeepsShare(policy.Kind) {
		row.Wanted = policy.Confidence
	}
	nodes := 0
	for _, p := range pools {
		row.Add(Try(p, policy, horizon))
		if n := len(p.Hours); n > 0 {
			nodes += p.Hours[n-1].Nodes
		}
	}
	if row.Promises == 0 {
		return row, fmt.Errorf("%s, horizon %d h: %w; take a longer part or a shorter horizon", group, horizon, errShort)
	}
	row.Nodes = nodes / len(pools)
	return row, nil
}
