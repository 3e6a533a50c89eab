package simulate

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/trace"
)

const infiniteHBD = "../../../../shared/data/infinitehbd/node_faults.csv"

// write writes a file of a story.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeJobs writes a job trace.
func writeJobs(t testing.TB, jobs []trace.Job) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("job_id,submit_unix_s,team,gpus,duration_s\n")
	for _, j := range jobs {
		fmt.Fprintf(&b, "%s,%d,%s,%d,%.0f\n", j.ID, j.Submit.Unix(), j.Team, j.GPUs, j.Duration.Seconds())
	}
	return write(t, "jobs.csv", b.String())
}

// fleetOf writes a fleet file with one cluster of islands and a root quota per
// line of grants ("team gpus").
func fleetOf(t testing.TB, buffer float64, islands []int, grants ...string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "policy:\n  buffer: {kind: fixed, share: %g}\nclusters:\n  - name: c\n    partitions:\n      - gpu: g\n        islands:\n", buffer)
	for i, nodes := range islands {
		fmt.Fprintf(&b, "          - {name: i%d, nodes: %d}\n", i+1, nodes)
	}
	b.WriteString("quotas:\n")
	for _, g := range grants {
		team, gpus, _ := strings.Cut(g, " ")
		fmt.Fprintf(&b, "  - {path: %q, grants: [{partition: c/g, gpus: %s}]}\n", team, gpus)
	}
	return write(t, "fleet.yaml", b.String())
}

// randomJobs makes up a day of jobs of many sizes, by a seed.
func randomJobs(seed uint64, n int, teams ...string) []trace.Job {
	rng := rand.New(rand.NewPCG(seed, 1))
	sizes := []int{1, 1, 1, 2, 4, 8, 8, 12, 16}
	jobs := make([]trace.Job, n)
	for i := range jobs {
		jobs[i] = trace.Job{
			ID: fmt.Sprintf("j%d", i), Team: teams[rng.IntN(len(teams))], GPUs: sizes[rng.IntN(len(sizes))],
			Submit:   publishedFrom.Add(time.Duration(rng.IntN(86400)) * time.Second),
			Duration: time.Duration(1+rng.IntN(4*3600)) * time.Second,
		}
	}
	return jobs
}

// storm is two crowded days with everything: quotas that do not suffice, flex,
// gangs over islands, faults, delays.
func storm(t testing.TB, seed uint64) Options {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	var faults strings.Builder
	faults.WriteString("node_id,start_day,end_day\n")
	for server := range servers {
		start := rng.Float64()
		fmt.Fprintf(&faults, "s%d,%.4f,%.4f\n", server, start, start+rng.Float64()/2)
	}
	return Options{
		Fleet:  fleetOf(t, 0.1, []int{6, 6}, "oak 32", "elm 24"),
		Jobs:   []string{writeJobs(t, randomJobs(seed, 300, "oak", "elm", "ash", "fir"))},
		Faults: write(t, "faults.csv", faults.String()),
		Seed:   seed, Delays: true,
	}
}

func replay(t testing.TB, o Options) Report {
	t.Helper()
	r, err := Run(t.Context(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Violations > 0 {
		t.Errorf("%d invariant violations, the first: %s", r.Violations, r.Violation)
	}
	return r
}
