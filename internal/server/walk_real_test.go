package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// realWalk is a server with every adapter of clusters of Azure, and the outsides that these speak to:
// an API server for each cluster, the first of which also keeps the scale sets.
type realWalk struct {
	*several
	listen  string // where people reach the server
	outside outsideOptions
	lynx    *plane
	puma    *plane
	azure   *azureCloud
	builds  *builds
	git     *repository
	began   time.Time
}

func newRealWalk(t *testing.T) *realWalk {
	t.Helper()
	w := newWalkParts(t)
	w.s, w.end = serving(w.c.ctx, t, upOptions{Data: w.data, Agents: w.at, Outside: w.outside})
	w.listen, w.at = w.s.listener.Addr().String(), w.s.agents.Addr().String()
	w.began = time.Now()
	return w
}

// newWalkParts are the outsides, without a server.
func newWalkParts(t *testing.T) *realWalk {
	t.Helper()
	t.Setenv(kubetest.Turns, "4") // two of them at one time
	w := &realWalk{lynx: controlPlane(t), puma: controlPlane(t), azure: &azureCloud{}, builds: newBuilds(t), git: newRepository(t)}
	w.builds.looks, w.builds.pause = 1, "2"
	w.several = newSeveral(t, w.lynx)
	for _, c := range []*plane{w.lynx, w.puma} {
		c.prepare()
	}
	w.lynx.knowScaleSets()
	program, err := (&tofuOptions{}).find()
	if err != nil {
		t.Skip("neither tofu nor terraform is installed here")
	}
	w.outside = outsideOptions{
		CheckinRepository: w.git.bare, CheckinBranch: "main", BuildkiteToken: w.file("token", "bkua-of-the-walk"), Azure: true,
		Tofu:      tofuOptions{Projects: "../../examples/buildout/projects", Program: program},
		ScaleSets: scaleSetOptions{Templates: w.templates(), Kubeconfig: w.lynx.Kubeconfig},
		standIns:  w.azure.standIns(w.builds.URL),
	}
	return w
}

// file writes a file of people's.
func (w *realWalk) file(name, text string) string {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return file
}

// templates is the folder of the scale sets' manifests.
func (w *realWalk) templates() string {
	w.t.Helper()
	folder := w.t.TempDir()
	for _, blueprint := range []string{"nd", "nd-tofu"} {
		text := "apiVersion: compute.azure.com/v1api20220301\nkind: VirtualMachineScaleSet\nmetadata: {namespace: clusters}\nspec: {sku: {tier: Standard}}\n"
		if err := os.WriteFile(filepath.Join(folder, blueprint+".yaml"), []byte(text), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	return folder
}

// muster runs a command line of a person.
func (w *realWalk) muster(args ...string) (says string) {
	w.t.Helper()
	var out, trouble strings.Builder
	env := world()
	env.Out, env.Err, env.OutTerminal = &out, &trouble, false
	env.Getenv = func(string) string { return "" }
	if code := command(w.c.ctx, env, append(args, "--server", w.listen)); code != 0 {
		w.t.Fatalf("muster %s ends with %d: %s%s", strings.Join(args, " "), code, &out, &trouble)
	}
	return out.String()
}

// blueprint is one that people write.
const blueprintOf = `name: %s
version: 1
meters: [{meter: standardNDSH200v5Family, perNode: 96}, {meter: cores, perNode: 96}]
checkin: %s
runner: %s
services: [deployment/kube-system/dns]
mode: enforce
`

// plan enters two records from a sheet.
func (w *realWalk) plan() {
	w.t.Helper()
	w.muster("blueprint", "add", w.file("nd.yaml", fmt.Sprintf(blueprintOf, "nd", "git", "buildkite:acme/clusters")))
	w.muster("blueprint", "add", w.file("tofu.yaml", fmt.Sprintf(blueprintOf, "nd-tofu", "inventory", "tofu")+"projects: [network, nodes]\n"))
	sheet := w.file("clusters.csv", "name,provider,subscription,region,sku,gpu,islands,priority,blueprint\n"+
		"lynx,azure,s1,eastus,Standard_ND96isr_H200_v5,h200,a:2 b:2,high,nd\npuma,azure,s1,eastus,Standard_ND96isr_H200_v5,h200,c:2,mid,nd-tofu\n")
	w.muster("cluster", "import", sheet)
	w.told("two records are entered")
}

// told logs how far the walk is.
func (w *realWalk) told(what string) {
	w.t.Logf("%6.1f s: %s", time.Since(w.began).Seconds(), what)
}

// comes waits until a step of a cluster has been done.
func (w *realWalk) comes(cluster string, step fleet.Step) {
	w.t.Helper()
	w.until(cluster+": "+string(step), func(s *fleet.State) bool {
		return s.Life(cluster).Step(step).Operation.State == fleet.OperationSucceeded
	})
	w.told(cluster + ": " + string(step))
}

// Two clusters come from a line in a sheet to production on real parts, by a whole server. Quota is
// by the SDK's fake, the check-in on a bare repository. A build is of Buildkite's stand-in, which
// fails every third call, and projects are applied by the real program. Scale sets, nodes,
// validation and services are on real API servers. The test plays Azure Service Operator and the
// machines, and kwok plays their kubelets.
func TestTwoTouchesOnARealAPIServer(t *testing.T) {
	w := newRealWalk(t)
	go w.azure.operate(w.c.ctx, w.lynx, map[string]*plane{"lynx": w.lynx, "puma": w.puma})
	w.azure.grant(100)
	w.plan()
	w.until("quota that is missing", func(s *fleet.State) bool {
		v := core.Look(s, s.Life("lynx"), fleet.InstantOf(time.Now()))
		return v.Waits() != nil && v.Waits().Reason == "Missing"
	})
	if says := w.muster("cluster", "why", "lynx"); !strings.Contains(says, "284 cores") {
		t.Errorf("why is lynx not in production? %s", says)
	}
	w.azure.grant(2000)
	w.comes("lynx", fleet.StepCheckin)
	w.git.merge("muster/lynx.checkin.g1.1")
	w.comes("lynx", fleet.StepPipeline)
	w.comes("lynx", fleet.StepScaleSets)
	w.agent("lynx", "--manage", w.lynx.agentOfBuilt())
	w.comes("puma", fleet.StepScaleSets)
	w.agent("puma", "--manage", w.puma.agentOfBuilt())
	for _, step := range []fleet.Step{fleet.StepJoin, fleet.StepValidation, fleet.StepServices} {
		w.comes("lynx", step)
	}
	for _, cluster := range []string{"puma", "lynx"} {
		w.until(cluster+" in production", func(s *fleet.State) bool { return s.Life(cluster).Course.Produced != 0 })
		w.told(cluster + " in production")
	}
	w.until("GPUs installed", func(s *fleet.State) bool {
		lynx, puma := s.Partition("lynx/h200"), s.Partition("puma/h200")
		return lynx != nil && puma != nil && lynx.Tally().Installed == 32 && puma.Tally().Installed == 16
	})
	w.muster("apply", "-f", w.file("quotas.yaml", "quotas:\n  - {path: oak, access: {namespaces: [lynx/oak]}, grants: [{partition: lynx/h200, gpus: 16}]}\n"))
	w.lynx.gangOf("oak", "train", 2)
	w.until("a gang runs", func(s *fleet.State) bool {
		is := s.Workload("oak@lynx", "train")
		return is != nil && is.State == fleet.RunningW && is.Where == "lynx/h200"
	})
	w.told("a gang runs on its quota")
	w.once()
}

// once holds that nothing was done twice, and what was asked of people.
func (w *realWalk) once() {
	w.t.Helper()
	if n := w.builds.created(); n != 1 {
		w.t.Errorf("%d builds were created for one cluster", n)
	}
	if n := w.lynx.sets(); n != 3 {
		w.t.Errorf("%d scale sets were made for three islands", n)
	}
	w.read(func(s *fleet.State) {
		for name, touches := range map[string]int{"lynx": 2, "puma": 1} {
			l := s.Life(name)
			known, _ := l.Saw(fleet.StepDependencies)
			if len(l.Touches) != touches {
				w.t.Errorf("%s took the touches %+v", name, l.Touches)
			}
			w.t.Logf("%s: in production %s after its entry, touches %d; %s", name, l.Course.Produced.Sub(l.Touches[0].At).Round(time.Second), len(l.Touches), known.Detail)
		}
	})
}
