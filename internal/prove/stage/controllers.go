package stage

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// controller keeps the pods of one workload, as a Job's or a Deployment's controller does.
type controller struct {
	spec    fleet.Spec
	after   uint64 // ID of the last workload before it
	stopped bool   // it creates no more pods
}

// createNodes creates the nodes that the story has and the cluster has not.
func (s *Stage) createNodes(ctx context.Context) error {
	var list []object
	s.engine.Read(func(state *fleet.State) {
		for _, part := range state.Partitions {
			for _, n := range part.Nodes {
				if s.created.nodes[n.Name] {
					continue
				}
				s.created.nodes[n.Name] = true
				island := part.Islands[n.Island].Name
				list = append(list, nodeObject(n, part.GPU, island))
			}
		}
	})
	return s.cluster.admin.Make(ctx, "/api/v1/nodes", list, nil)
}

// nodeObject is a node with the labels that GPU feature discovery and the operators set.
func nodeObject(n *fleet.Node, gpu, island string) object {
	amounts := object{"cpu": "192", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": fmt.Sprint(n.GPUs)}
	return object{
		"apiVersion": "v1", "kind": "Node",
		"metadata": object{"name": n.Name, "labels": object{
			storyLabel: "true", "muster.dev/gpu": gpu, "nvidia.com/gpu.product": "none", "nvidia.com/gpu.clique": island,
			"network.topology.nvidia.com/leaf": fmt.Sprintf("%s-r%03d", island, n.Rack), "kubernetes.io/hostname": n.Name,
		}},
		"status": object{"capacity": amounts, "allocatable": amounts},
	}
}

// control does what controllers and kubelets do: it creates the pods that are missing,
// and removes those of work that is over and those that went down with a node. did says
// one thing that it did; "": nothing.
func (s *Stage) control(ctx context.Context, pods []pod) (did string, err error) {
	there, leaving := map[string]int{}, s.seats(fleet.Leaving)
	for _, p := range pods {
		switch {
		case s.mustGo(p, leaving):
			did = p.Name + " is removed"
			if err := s.release(ctx, p, true); err != nil {
				return "", err
			}
		case !p.ended() && !p.deleted():
			there[poolName(p.workload(), p.Labels[translate.LabelPool])]++
		}
	}
	s.lost = nil
	made, err := s.fill(ctx, there)
	if made != "" {
		did = made
	}
	return did, err
}

func poolName(of workload, pool string) string { return fmt.Sprint(of, pool) }

// mustGo says whether a pod is to be removed. leaving counts the replicas that leave;
// each pod that is deleted is taken off it.
func (s *Stage) mustGo(p pod, leaving map[string]int) bool {
	if p.deleted() {
		leaving[seatOf(&p)]--
	}
	over, standing := s.over(p.workload())
	return s.controllers[p.workload()] == nil || over && !standing || over && p.waits || s.refused[p.workload()] != nil ||
		p.deleted() && leaving[seatOf(&p)] < 0 || s.takeLost(p)
}

// fill creates the pods that are missing; there counts those of each pool that are there.
func (s *Stage) fill(ctx context.Context, there map[string]int) (did string, err error) {
	for key, c := range s.controllers {
		if over, _ := s.over(key); over || c.stopped || s.refused[key] != nil {
			continue
		}
		for _, pool := range c.spec.Pools {
			n := pool.Max - there[poolName(key, pool.Name)]
			if n <= 0 {
				continue
			}
			did = "pods of " + c.spec.Name + " are created"
			if err := s.createPods(ctx, c.spec, pool, n); err != nil {
				return "", err
			}
		}
	}
	return did, nil
}

// over says whether a workload has ended, and whether some of it still stands. A
// workload that Muster does not know yet has not ended.
func (s *Stage) over(key workload) (over, standing bool) {
	s.engine.Read(func(state *fleet.State) {
		if w := state.Workload(key[0], key[1]); w != nil && s.controllers[key] != nil && w.ID > s.controllers[key].after {
			over, standing = w.State.Ended(), w.At() != nil
		}
	})
	return over, standing
}

// takeLost says whether a pod went down with its node, and strikes it off the list.
func (s *Stage) takeLost(p pod) bool {
	for i := range s.lost {
		l := &s.lost[i]
		if l.of != p.workload() || l.pool != p.Labels[translate.LabelPool] || p.node() == "" {
			continue
		}
		if k := slices.Index(l.nodes, p.node()); k >= 0 {
			l.nodes = slices.Delete(l.nodes, k, k+1)
			return true
		}
	}
	return false
}

// createPods creates pods of a pool, several at a time.
func (s *Stage) createPods(ctx context.Context, spec fleet.Spec, pool fleet.Pool, n int) error {
	if err := s.createNamespace(ctx, spec.Namespace); err != nil {
		return err
	}
	var list []object
	for range n {
		s.created.count++
		list = append(list, s.podOf(spec, pool))
	}
	return s.cluster.admin.Make(ctx, "/api/v1/namespaces/"+spec.Namespace+"/pods", list, func(uid string) { s.created.pods[uid] = s.now().Add(-kube.SettleAfter) })
}

// podOf is a pod as a user's template would have it.
func (s *Stage) podOf(spec fleet.Spec, pool fleet.Pool) object {
	size := fmt.Sprint(pool.Min)
	if pool.Elastic {
		size = fmt.Sprintf("%d..%d", pool.Min, pool.Max)
	}
	gpus := object{"nvidia.com/gpu": fmt.Sprint(pool.GPUs)}
	notes := object{
		translate.AnnotationPriority: spec.Priority.String(), translate.AnnotationRank: fmt.Sprint(pool.Rank), translate.AnnotationReach: string(pool.Reach),
		translate.AnnotationReplicas: size, translate.AnnotationGrace: spec.Grace.String(),
	}
	for key, d := range map[string]time.Duration{translate.AnnotationMaxRuntime: spec.MaxRuntime, translate.AnnotationCheckpoint: spec.CheckpointEvery} {
		if d > 0 {
			notes[key] = d.String()
		}
	}
	if spec.Partition != "" {
		notes[translate.AnnotationPartition] = spec.Partition
	}
	return object{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": object{
			"name": fmt.Sprintf("%s-%s-%05d", spec.Name, strings.ToLower(pool.Name), s.created.count), "namespace": spec.Namespace, "annotations": notes, "finalizers": []string{staysFinalizer},
			"labels": object{
				storyLabel: "true", translate.LabelTarget: strings.ReplaceAll(spec.Target, "/", "."), translate.LabelWorkload: spec.Name, translate.LabelPool: pool.Name,
			},
		},
		"spec": object{
			"terminationGracePeriodSeconds": 30,
			"containers":                    []object{{"name": "main", "image": "none", "resources": object{"limits": gpus, "requests": gpus}}},
		},
	}
}

// createNamespace creates a namespace and enrols it, once.
func (s *Stage) createNamespace(ctx context.Context, name string) error {
	if s.created.namespaces[name] {
		return nil
	}
	s.created.namespaces[name] = true
	if err := s.cluster.admin.Call(ctx, http.MethodPost, "/api/v1/namespaces", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name, "labels": object{storyLabel: "true"}}}, nil); err != nil && plain.CodeOf(err) != http.StatusConflict {
		return err
	}
	labels := object{"metadata": object{"labels": object{"muster.dev/enrolled": "true"}}}
	return s.cluster.admin.Call(ctx, http.MethodPatch, "/api/v1/namespaces/"+name, labels, nil)
}
