package bench

import (
	"context"
	"fmt"
	"os"
)

// submit measures how fast commands are accepted, and what it costs.
func submit(ctx context.Context, o Options) (Report, error) {
	r := Report{Bench: "submit", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed}
	dir, err := os.MkdirTemp(o.Dir, "muster-bench-")
	if err != nil {
		return r, fmt.Errorf("a folder to measure in: %w", err)
	}
	defer os.RemoveAll(dir)
	for _, part := range []func(context.Context, Options, string, *Report) error{rates, decisions, memory, restarts} {
		if err := part(ctx, o, dir, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (r *Report) add(f Figure) { r.Figures = append(r.Figures, f) }

func (r *Report) remark(format string, args ...any) {
	r.Remarks = append(r.Remarks, fmt.Sprintf(format, args...))
}

// aimed is a figure with an aim.
func aimed(f Figure, aim string, met bool) Figure {
	f.Aim, f.Met = aim, met
	return f
}

// beside is a figure with its ratio to another one.
func beside(f Figure, ratio float64, to string) Figure {
	f.Ratio, f.To = ratio, to
	return f
}
