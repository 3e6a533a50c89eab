package webhook

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAPodIsMadeToWait(t *testing.T) {
	const asks = `"containers":[{"resources":{"limits":{"nvidia.com/gpu":"8"}}}]`
	const target = `"metadata":{"labels":{"muster.dev/target":"oak"}}`
	const class = `{"op":"add","path":"/spec/priorityClassName","value":"muster-managed"},{"op":"add","path":"/spec/priority","value":1000000},{"op":"add","path":"/spec/preemptionPolicy","value":"Never"}`
	for what, c := range map[string]struct{ pod, want string }{
		"plain":             {`{` + target + `,"spec":{` + asks + `}}`, `[{"op":"add","path":"/spec/schedulingGates","value":[{"name":"muster.dev/admission"}]},` + class + `]`},
		"with another gate": {`{` + target + `,"spec":{` + asks + `,"schedulingGates":[{"name":"x"}]}}`, `[{"op":"add","path":"/spec/schedulingGates/-","value":{"name":"muster.dev/admission"}},` + class + `]`},
		"made to already": {
			`{` + target + `,"spec":{` + asks + `,"schedulingGates":[{"name":"muster.dev/admission"}],"priorityClassName":"muster-managed","priority":1000000,"preemptionPolicy":"Never"}}`, `null`,
		},
		"of importance of its own": {
			`{` + target + `,"spec":{` + asks + `,"schedulingGates":[{"name":"muster.dev/admission"}],"priorityClassName":"top","priority":9,"preemptionPolicy":"Never"}}`,
			`[{"op":"add","path":"/spec/priorityClassName","value":"muster-managed"},{"op":"add","path":"/spec/priority","value":1000000}]`,
		},
		"without a target":        {`{"spec":{` + asks + `}}`, `null`},
		"without GPUs":            {`{` + target + `,"spec":{"containers":[{"resources":{"limits":{"cpu":"8"}}}]}}`, `null`},
		"GPUs in a first step":    {`{` + target + `,"spec":{"containers":[{}],"initContainers":[{"resources":{"requests":{"amd.com/gpu":"1"}}}]}}`, `[{"op":"add","path":"/spec/schedulingGates","value":[{"name":"muster.dev/admission"}]},` + class + `]`},
		"labels that are nothing": {`{"metadata":{"labels":null},"spec":null}`, `null`},
	} {
		patch, err := Options{}.Mutate([]byte(c.pod))
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got, _ := json.Marshal(patch); string(got) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", what, got, c.want)
		}
	}
}

// Where Muster binds, it is the scheduler of pods; those that need kube-scheduler wait by the gate.
func TestMusterIsTheScheduler(t *testing.T) {
	for more, want := range map[string]string{
		"":                                     `[{"op":"add","path":"/spec/schedulerName","value":"muster"},`,
		`,"schedulerName":"default-scheduler"`: `[{"op":"add","path":"/spec/schedulerName","value":"muster"},`,
		`,"schedulerName":"muster"`:            `[{"op":"add","path":"/spec/priorityClassName"`,
		`,"schedulerName":"volcano"`:           `[{"op":"add","path":"/spec/schedulingGates"`,
		`,"schedulingGates":[{"name":"muster.dev/admission"}]`:      `[{"op":"add","path":"/spec/priorityClassName"`,
		`,"schedulingGates":[{"name":"x"}]`:                         `[{"op":"add","path":"/spec/schedulingGates/-"`,
		`,"volumes":[{"name":"d","persistentVolumeClaim":{}}]`:      `[{"op":"add","path":"/spec/schedulingGates"`,
		`,"volumes":[{"name":"d","emptyDir":{}}]`:                   `[{"op":"add","path":"/spec/schedulerName"`,
		`,"schedulingGroup":{"podGroupName":"g"}`:                   `[{"op":"add","path":"/spec/schedulingGates"`,
		`,"schedulerName":"muster","resourceClaims":[{"name":"g"}]`: `[{"op":"add","path":"/spec/schedulerName","value":"default-scheduler"},{"op":"add","path":"/spec/schedulingGates"`,
	} {
		p := `{"metadata":{"labels":{"muster.dev/target":"oak"}},"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"8"}}}]` + more + `}}`
		patch, err := Options{Direct: true}.Mutate([]byte(p))
		if got, _ := json.Marshal(patch); err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%s:\n%s %v\nwant\n%s", more, got, err, want)
		}
	}
}

func TestReviewsAreAnswered(t *testing.T) {
	for what, c := range map[string]struct {
		send string
		code int
		want string
	}{
		"a pod":       {`{"kind":"AdmissionReview","request":{"uid":"u1","object":{"metadata":{"labels":{"muster.dev/target":"x"}},"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":1}}}]}}}}`, 200, `"patchType":"JSONPatch"`},
		"a Job":       {`{"request":{"uid":"u5","kind":{"kind":"Job"},"oldObject":null,"object":{"spec":{"template":` + wants + `}}}}`, 200, `"patchType":"JSONPatch"`},
		"no pod":      {`{"request":{"uid":"u2","object":{"metadata":{"labels":7}}}}`, 200, `"allowed":false`},
		"no object":   {`{"request":{"uid":"u3"}}`, 200, `"allowed":false`},
		"no request":  {`{"kind":"AdmissionReview"}`, 400, ""},
		"no review":   {`[]`, 400, ""},
		"no JSON":     {`{`, 400, ""},
		"an old kind": {`{"request":{"uid":"u4","object":{"spec":{}}}}`, 200, `{"uid":"u4","allowed":true}`},
	} {
		w := httptest.NewRecorder()
		Options{}.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/admit", strings.NewReader(c.send)))
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s", what, w.Code, w.Body)
		}
	}
}

func FuzzMutate(f *testing.F) {
	f.Add([]byte(`{"metadata":{"labels":{"muster.dev/target":"x"}},"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":1}}}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		patch, err := Options{Direct: true}.Mutate(data)
		if err == nil && len(patch) > 4 {
			t.Errorf("%d steps", len(patch))
		}
	})
}
