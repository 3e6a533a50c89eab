package kube

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/muster-fleet/muster/internal/clusters/kube/nodefit"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// How many pods and nodes are judged: each pod that asks, on each node of its cluster.
const (
	judgedClusters = 625
	judgedNodes    = 4
	judgedAsks     = 4
)

// TestKubeSchedulerJudgesWhereMusterBinds draws 10,000 pods and nodes, and asks kube-scheduler's
// own filter plugins about each. Muster binds none that they refuse, and none that needs more
// than it looks at; what they accept it accepts too. MUSTER_SEED draws others.
func TestKubeSchedulerJudgesWhereMusterBinds(t *testing.T) {
	seed := uint64(1)
	if n, err := strconv.ParseUint(os.Getenv("MUSTER_SEED"), 10, 64); err == nil {
		seed = n
	}
	d := &draw{Rand: rand.New(rand.NewPCG(seed, 22))}
	questions := make([]kubetest.Question, judgedClusters)
	for i := range questions {
		questions[i] = d.question()
	}
	answers, err := kubetest.Judge(t.Context(), questions)
	if kubetest.Skips(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions", len(answers), len(questions))
	}
	count := tally{by: map[string]int{}}
	for i, q := range questions {
		count.compare(t, seed, q, answers[i])
	}
	t.Logf("seed %d: of %d pods and nodes both accept %d and both refuse %d; by filter: %s", seed, count.accepted+count.refused, count.accepted, count.refused, &count)
	if count.accepted < 1000 || count.refused < 1000 || len(count.by) < 6 {
		t.Error("they say too much alike to be worth comparing")
	}
}

func (d *draw) question() (q kubetest.Question) {
	for range judgedNodes {
		q.Nodes = append(q.Nodes, d.node())
	}
	for _, n := range q.Nodes {
		for range d.IntN(3) {
			q.Pods = append(q.Pods, d.standing(n.Name))
		}
	}
	for range judgedAsks {
		p := d.pod()
		if d.oneIn(4) {
			pick(d, harmless...)(d, p)
		}
		q.Asks = append(q.Asks, p)
	}
	return q
}

// tally counts what both say.
type tally struct {
	accepted, refused int
	by                map[string]int // refusals by the filter that says it
}

func (c *tally) String() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(c.by)) {
		list = append(list, fmt.Sprintf("%s %d", name, c.by[name]))
	}
	return strings.Join(list, ", ")
}

// compare holds what Muster says of one cluster against the judge.
func (c *tally) compare(t *testing.T, seed uint64, q kubetest.Question, judge kubetest.Verdicts) {
	t.Helper()
	on := fitsIn(q)
	for i, p := range q.Asks {
		if why := nodefit.HandOn(p, translate.Gate); why != "" {
			t.Errorf("seed %d: %s is handed on: %s", seed, p.Name, why)
		}
		for k, n := range q.Nodes {
			mine := nodefit.Say(nodefit.Misfits(nodefit.PodOf(p), on.nodes[n.Name], on.loads[n.Name], on.repellers))
			switch refused := judge[i][k] != ""; {
			case refused != (mine != ""):
				t.Errorf("seed %d: %s on %s: kube-scheduler says %q, Muster %q\n%s", seed, p.Name, n.Name, judge[i][k], mine, asJSON(p, n, q.Pods))
			case refused:
				filter, _, _ := strings.Cut(judge[i][k], ":")
				c.refused++
				c.by[filter]++
			default:
				c.accepted++
			}
		}
	}
}

// fitsIn is what Muster knows of the cluster of a question.
func fitsIn(q kubetest.Question) *nodeFits {
	f := &nodeFits{nodes: map[string]*nodefit.Node{}, loads: map[string]*nodefit.Load{}}
	for _, n := range q.Nodes {
		f.nodes[n.Name], f.loads[n.Name] = nodefit.NodeOf(n), &nodefit.Load{}
	}
	for _, p := range q.Pods {
		f.take(nodefit.Standing(p), p.Spec.NodeName)
	}
	return f
}

func asJSON(p *corev1.Pod, n *corev1.Node, all []*corev1.Pod) string {
	var there []*corev1.Pod
	for _, o := range all {
		if o.Spec.NodeName == n.Name || o.Spec.Affinity != nil && o.Spec.Affinity.PodAntiAffinity != nil {
			there = append(there, o)
		}
	}
	text, _ := json.Marshal([]any{p.Spec, p.Labels, n, there})
	return string(text)
}

// Each kind of pod that needs what only kube-scheduler looks at is handed on, whatever else it says.
func TestWhatNeedsMoreIsHandedOn(t *testing.T) {
	d := &draw{Rand: rand.New(rand.NewPCG(1, 22))}
	for _, what := range slices.Sorted(maps.Keys(handOns)) {
		for range 200 {
			p := d.pod()
			handOns[what](d, p)
			if nodefit.HandOn(p, translate.Gate) == "" {
				t.Errorf("a pod with %s is not handed on: %+v", what, p.Spec)
			}
			p.Spec.SchedulerName = translate.Scheduler
			p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("1")}
			is, _ := translate.PodOf(p, new(translate.Defaults("tiger")))
			if is.Barred == "" {
				t.Errorf("a pod with %s would be bound, since it names Muster", what)
			}
		}
	}
}
