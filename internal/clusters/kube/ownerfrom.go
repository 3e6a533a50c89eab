package kube

import "github.com/muster-fleet/muster/internal/clusters/kube/translate"

// mostPods is above any size of a Job that is believed.
const mostPods = 100_000

// ownerFrom reads the size and the end of a Job, or of what is like one.
func ownerFrom(of map[string]any) (o owner) {
	spec, _ := of["spec"].(map[string]any)
	status, _ := of["status"].(map[string]any)
	o.size = jobSize(spec, status)
	o.suspended, _ = spec["suspend"].(bool)
	if policy, _ := spec["runPolicy"].(map[string]any); policy["suspend"] == true { // of an MPIJob
		o.suspended = true
	}
	if n, ok := number(spec["replicas"]); ok { // of what is scaled
		o.size, o.none = n, n == 0
	}
	o.sizes = partSizes(spec)
	for _, c := range listIn(status, "conditions") {
		if c["status"] != "True" {
			continue
		}
		switch c["type"] {
		case "Complete", "Completed", "Succeeded":
			o.over = true
		case "Failed":
			o.over, o.failed = true, true
		}
	}
	return o
}

// jobSize is how many pods a Job has at one time; 0: it does not say.
func jobSize(spec, status map[string]any) int {
	if _, says := number(spec["parallelism"]); !says {
		return 0
	}
	return translate.JobSize(spec, status)
}

// partSizes is how many pods the parts of something have: of a JobSet, an MPIJob
// and a RayCluster.
func partSizes(spec map[string]any) map[string]int {
	sizes := map[string]int{}
	for _, part := range listIn(spec, "replicatedJobs") {
		template, _ := part["template"].(map[string]any)
		job, _ := template["spec"].(map[string]any)
		sizes[textOf(part["name"])] = orOne(part["replicas"]) * max(1, jobSize(job, nil))
	}
	replicas, _ := spec["mpiReplicaSpecs"].(map[string]any)
	for name, part := range replicas {
		part, _ := part.(map[string]any)
		sizes[lower(name)] = orOne(part["replicas"])
	}
	if _, ray := spec["headGroupSpec"]; ray {
		sizes["headgroup"] = 1
	}
	for _, part := range listIn(spec, "workerGroupSpecs") {
		sizes[textOf(part["groupName"])] = translate.RayGroupSize(part)
	}
	for name, n := range sizes {
		if name == "" || n > mostPods {
			delete(sizes, name)
		}
	}
	return sizes
}

// number is a whole number that is believed.
func number(v any) (int, bool) {
	n, ok := v.(int64)
	return int(n), ok && n >= 0 && n < mostPods
}

func orOne(v any) int {
	if n, ok := number(v); ok {
		return n
	}
	return 1
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}

// lower is a part's name as labels have it.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func listIn(of map[string]any, name string) (list []map[string]any) {
	all, _ := of[name].([]any)
	for _, x := range all {
		if m, ok := x.(map[string]any); ok {
			list = append(list, m)
		}
	}
	return list
}
