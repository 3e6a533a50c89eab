package kube

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file is about who keeps the nodes and pods of a story.

// nodes makes the nodes that the story has and the cluster has not.
func (s *Stage) nodes(ctx context.Context) error {
	var list []object
	s.engine.Read(func(state *fleet.State) {
		for _, part := range state.Partitions {
			for _, n := range part.Nodes {
				if s.known[n.Name] {
					continue
				}
				s.known[n.Name] = true
				island := part.Islands[n.Island].Name
				list = append(list, machine(n, part.GPU, island))
			}
		}
	})
	return s.people.Make(ctx, "/api/v1/nodes", list, nil)
}

// machine is a node as its machine's operators label it.
func machine(n *fleet.Node, gpu, island string) object {
	amounts := object{"cpu": "192", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": fmt.Sprint(n.GPUs)}
	return object{
		"apiVersion": "v1", "kind": "Node",
		"metadata": object{"name": n.Name, "labels": object{
			ofAStory: "true", "muster.dev/gpu": gpu, "nvidia.com/gpu.product": "none", "nvidia.com/gpu.clique": island,
			"network.topology.nvidia.com/leaf": fmt.Sprintf("%s-r%03d", island, n.Rack), "kubernetes.io/hostname": n.Name,
		}},
		"status": object{"capacity": amounts, "allocatable": amounts},
	}
}

// control does what controllers and kubelets do: it makes the pods that are missing,
// and takes away those of work that is over and those that went down with a node.
func (s *Stage) control(ctx context.Context, pods []stagePod) (did string, err error) {
	there, leaving := map[string]int{}, s.seats(fleet.Leaving)
	for _, p := range pods {
		switch {
		case s.goes(p, leaving):
			did = p.Name + " is taken away"
			if err := s.release(ctx, p, true); err != nil {
				return "", err
			}
		case !p.over() && p.DeletionTimestamp == "":
			there[fmt.Sprint(p.key(), p.Labels[translate.LabelPool])]++
		}
	}
	s.lost = nil
	made, err := s.fill(ctx, there)
	if made != "" {
		did = made
	}
	return did, err
}

// goes says whether a pod is to be taken away. leaving counts the replicas that leave,
// of which the pods that were deleted are taken.
func (s *Stage) goes(p stagePod, leaving map[string]int) bool {
	seat := fmt.Sprint(p.key(), p.Labels[translate.LabelPool], " on ", p.node())
	if p.DeletionTimestamp != "" {
		leaving[seat]--
	}
	over, standing := s.over(p.key())
	return s.crews[p.key()] == nil || over && !standing || over && len(p.gates) > 0 || s.refused[p.key()] != nil ||
		p.DeletionTimestamp != "" && leaving[seat] < 0 || s.isLost(p)
}

// fill makes the pods that are missing, by how many are there of each pool.
func (s *Stage) fill(ctx context.Context, there map[string]int) (did string, err error) {
	for key, c := range s.crews {
		if over, _ := s.over(key); over || c.leaving || s.refused[key] != nil {
			continue
		}
		for _, pool := range c.spec.Pools {
			n := pool.Max - there[fmt.Sprint(key, pool.Name)]
			if n <= 0 {
				continue
			}
			did = "pods of " + c.spec.Name + " are made"
			if err := s.makePods(ctx, c.spec, pool, n); err != nil {
				return "", err
			}
		}
	}
	return did, nil
}

// over says whether a workload has ended, and whether some of it still stands. What
// Muster does not know yet has not.
func (s *Stage) over(key [2]string) (over, standing bool) {
	s.engine.Read(func(state *fleet.State) {
		if w := state.Workload(key[0], key[1]); w != nil && s.crews[key] != nil && w.ID > s.crews[key].after {
			over, standing = w.State.Ended(), w.At() != nil
		}
	})
	return over, standing
}

func (s *Stage) isLost(p stagePod) bool {
	for i := range s.lost {
		l := &s.lost[i]
		if l.key != p.key() || l.pool != p.Labels[translate.LabelPool] || p.node() == "" {
			continue
		}
		if k := slices.Index(l.nodes, p.node()); k >= 0 {
			l.nodes = slices.Delete(l.nodes, k, k+1)
			return true
		}
	}
	return false
}

// seats counts the replicas of the state in a phase, by workload, pool and node.
func (s *Stage) seats(phase fleet.Phase) (count map[string]int) {
	s.engine.Read(func(state *fleet.State) { count = seatsIn(state, phase) })
	return count
}

func seatsIn(state *fleet.State, phase fleet.Phase) map[string]int {
	count := map[string]int{}
	for _, w := range state.Workloads {
		if w.At() == nil {
			continue
		}
		for pool, replicas := range w.Held {
			for _, r := range replicas {
				if r.Phase == phase {
					count[fmt.Sprint([2]string{w.Namespace, w.Name}, w.Pools[pool].Name, " on ", w.At().Nodes[r.Node].Name)]++
				}
			}
		}
	}
	return count
}

// makePods makes pods of a pool, several at one time.
func (s *Stage) makePods(ctx context.Context, spec fleet.Spec, pool fleet.Pool, n int) error {
	if err := s.home(ctx, spec.Namespace); err != nil {
		return err
	}
	var list []object
	for range n {
		s.made++
		list = append(list, s.podOf(spec, pool))
	}
	return s.people.Make(ctx, "/api/v1/namespaces/"+spec.Namespace+"/pods", list, func(uid string) { s.born[uid] = s.now().Add(-settling) })
}

// podOf is a pod as a person's template says.
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
			"name": fmt.Sprintf("%s-%s-%05d", spec.Name, strings.ToLower(pool.Name), s.made), "namespace": spec.Namespace, "annotations": notes, "finalizers": []string{held},
			"labels": object{
				ofAStory: "true", translate.LabelTarget: strings.ReplaceAll(spec.Target, "/", "."), translate.LabelWorkload: spec.Name, translate.LabelPool: pool.Name,
			},
		},
		"spec": object{
			"terminationGracePeriodSeconds": 30,
			"containers":                    []object{{"name": "main", "image": "none", "resources": object{"limits": gpus, "requests": gpus}}},
		},
	}
}

// home makes a namespace that is enrolled, once.
func (s *Stage) home(ctx context.Context, name string) error {
	if s.homes[name] {
		return nil
	}
	s.homes[name] = true
	if err := s.people.Call(ctx, http.MethodPost, "/api/v1/namespaces", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name, "labels": object{ofAStory: "true"}}}, nil); err != nil && plain.CodeOf(err) != http.StatusConflict {
		return err
	}
	labels := object{"metadata": object{"labels": object{"muster.dev/enrolled": "true"}}}
	return s.people.Call(ctx, http.MethodPatch, "/api/v1/namespaces/"+name, labels, nil)
}
