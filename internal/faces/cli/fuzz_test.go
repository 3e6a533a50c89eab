package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// Whatever is typed or written, the answer is a workload or a usage error.
func FuzzPool(f *testing.F) {
	for _, seed := range []string{"trainer=16x8", "grader=2..64x1,rank=1,reach=any", "w=..x", "=,", "w=99999999999999999999x1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pools, err := readPools([]string{text})
		if err != nil {
			if exitCode(err) != ExitUsage {
				t.Errorf("%q: %v is no usage error", text, err)
			}
			return
		}
		p := pools[0]
		if p.GetName() == "" || p.GetGpus() < 1 || p.GetReplicas() < 0 || (p.GetReplicas() == 0) == (p.GetMax() == 0) || p.GetMin() > p.GetMax() {
			t.Errorf("%q became %v", text, p)
		}
	})
}

func FuzzJobFile(f *testing.F) {
	f.Add([]byte("name: a\ntarget: flex\npools: [{name: w, replicas: 1, gpus: 8}]\n"))
	f.Add([]byte("- {name: a, target: research/oak, pools: [{name: w, min: 1, max: 4, gpus: 1, rank: 1, reach: any}], grace: 1m}\n"))
	f.Add([]byte("[]"))
	f.Add([]byte("name: [a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		specs, err := readJobs("job.yaml", data, "oak")
		if err != nil {
			if exitCode(err) != ExitUsage {
				t.Errorf("%v is no error of input", err)
			}
			return
		}
		for _, s := range specs {
			if s.GetName() == "" || s.GetTarget() == "" || len(s.GetPools()) == 0 {
				t.Errorf("an incomplete workload: %v", s)
			}
		}
	})
}

func FuzzMoment(f *testing.F) {
	for _, seed := range []string{"2h", "2026-11-21", "2026-11-21T12:00:00Z", "1d12h", "-1s", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := moment{env: &Env{Now: noonNow, Zone: noon.zone}}
		if err := m.Set(text); err != nil && exitCode(err) != ExitUsage {
			t.Errorf("%q: %v is no usage error", text, err)
		}
	})
}

// FuzzBlueprint reads any bytes as a file of a blueprint: it is refused, or it has a name, and its
// numbers are within their bounds.
func FuzzBlueprint(f *testing.F) {
	f.Add([]byte("name: h200\ncheckin: git\nmeters: [{meter: cores, perNode: 8}]\ntakes: {quota: 2d}\n"))
	f.Add([]byte("name: h200\ncheckin: git\nmeters: [{meter: cores, perNode: 99999999999999999999}]\nready: 200%\n"))
	f.Add([]byte("a: &a {b: *a}\n"))
	path := filepath.Join(f.TempDir(), "blueprint.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := readBlueprint(path)
		if err != nil {
			return
		}
		if b.GetName() == "" || b.GetVersion() < 1 {
			t.Errorf("%q is taken as %v", data, b)
		}
		for _, m := range b.GetMeters() {
			if m.GetPerNode() < 1 || m.GetPerNode() > 100_000 {
				t.Errorf("%q is taken as %v", data, b)
			}
		}
	})
}
