package webhook

import (
	"encoding/json"
	"strings"
	"testing"
)

const wants = `{"metadata":{"labels":{"muster.dev/target":"oak"}},"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"8"}}}]}}`

// Each kind keeps its templates elsewhere; all of them are found, and those without GPUs are left.
func TestTemplatesOfEachKindAreChanged(t *testing.T) {
	const none = `{"metadata":{"labels":{"muster.dev/target":"oak"}},"spec":{"containers":[{}]}}`
	for what, c := range map[string]struct{ object, want string }{
		"a Job":             {`{"spec":{"template":` + wants + `}}`, "/spec/template"},
		"a JobSet":          {`{"spec":{"replicatedJobs":[{"template":{"spec":{"template":` + none + `}}},{"template":{"spec":{"template":` + wants + `}}}]}}`, "/spec/replicatedJobs/1/template/spec/template"},
		"a LeaderWorkerSet": {`{"spec":{"leaderWorkerTemplate":{"leaderTemplate":` + wants + `,"workerTemplate":` + wants + `}}}`, "/spec/leaderWorkerTemplate/leaderTemplate /spec/leaderWorkerTemplate/workerTemplate"},
		"a RayCluster":      {`{"spec":{"headGroupSpec":{"template":` + wants + `},"workerGroupSpecs":[{"template":` + wants + `}]}}`, "/spec/headGroupSpec/template /spec/workerGroupSpecs/0/template"},
		"an MPIJob":         {`{"spec":{"mpiReplicaSpecs":{"Launcher":{"template":` + none + `},"Worker":{"template":` + wants + `}}}}`, "/spec/mpiReplicaSpecs/Worker/template"},
		"none":              {`{"spec":{"template":null}}`, ""},
	} {
		patch, err := Options{Direct: true}.MutateMaker([]byte(c.object), nil)
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		var at []string
		for _, step := range patch {
			if where, ok := strings.CutSuffix(step.Path, "/spec/schedulerName"); ok {
				at = append(at, where)
			}
		}
		if got := strings.Join(at, " "); got != c.want || len(patch) != 2*len(at) {
			t.Errorf("%s: changed are %q, want %q: %v", what, got, c.want, patch)
		}
	}
}

// An update changes only templates that are changed: a Deployment that was there before Muster
// is not rolled out anew, and one that is Muster's stays so.
func TestAnUpdateKeepsWhatIsMusters(t *testing.T) {
	job := func(template, more string) []byte {
		return []byte(`{"spec":{` + more + `"template":` + template + `}}`)
	}
	mine := strings.Replace(wants, `"containers"`, `"schedulerName":"muster","priorityClassName":"muster-managed","containers"`, 1)
	for what, c := range map[string]struct {
		object, old []byte
		steps       int
	}{
		"scaled":             {job(wants, `"replicas":2,`), job(wants, `"replicas":1,`), 0},
		"taken away":         {job(wants, ""), job(mine, ""), 2},
		"changed beside it":  {job(strings.Replace(mine, `"8"`, `"4"`, 1), ""), job(mine, ""), 0},
		"new and of its own": {job(strings.Replace(wants, `"containers"`, `"priority":7,"preemptionPolicy":"Never","containers"`, 1), ""), nil, 4},
	} {
		if patch, err := (Options{Direct: true}).MutateMaker(c.object, c.old); err != nil || len(patch) != c.steps {
			t.Errorf("%s: %d steps, want %d: %v %v", what, len(patch), c.steps, patch, err)
		}
	}
	if _, err := (Options{}).MutateMaker([]byte(`{"spec":7}`), nil); err == nil {
		t.Error("what is no object is taken")
	}
}

// Without the right to bind, and for pods that need kube-scheduler, the gate stands in the template.
func TestTheGateStandsInTheTemplate(t *testing.T) {
	spread := strings.Replace(wants, `"containers"`, `"schedulerName":"muster","topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"}],"containers"`, 1)
	for what, c := range map[string]struct {
		o    Options
		is   string
		want string
	}{
		"by gates alone":          {Options{}, wants, `[{"op":"add","path":"/spec/template/spec/schedulingGates","value":[{"name":"muster.dev/admission"}]},{"op":"add","path":"/spec/template/spec/priorityClassName","value":"muster-managed"}]`},
		"what kube-scheduler has": {Options{Direct: true}, spread, `[{"op":"add","path":"/spec/template/spec/schedulerName","value":"default-scheduler"},{"op":"add","path":"/spec/template/spec/schedulingGates","value":[{"name":"muster.dev/admission"}]},{"op":"add","path":"/spec/template/spec/priorityClassName","value":"muster-managed"}]`},
	} {
		patch, err := c.o.MutateMaker([]byte(`{"spec":{"template":`+c.is+`}}`), nil)
		if got, _ := json.Marshal(patch); err != nil || string(got) != c.want {
			t.Errorf("%s: %s %v, want %s", what, got, err, c.want)
		}
	}
}
