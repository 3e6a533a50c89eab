// Command judge asks kube-scheduler's own filter plugins, as its default profile has them,
// whether pods may stand on nodes. Tests hold against it what Muster says of the same.
//
// It reads clusters as JSON from its input, and answers each by a line of JSON: for every pod
// that asks, and every node, why the node does not suit it; "" where it does.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// cluster is one question.
type cluster struct {
	Nodes []*corev1.Node `json:"nodes"`
	Pods  []*corev1.Pod  `json:"pods"` // that stand on the nodes
	Asks  []*corev1.Pod  `json:"asks"` // of which each asks for itself, as if the others were not there
}

func main() {
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := judge(ctx, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

// judge answers until its input ends.
func judge(ctx context.Context, from io.Reader, to io.Writer) error {
	s, err := newScheduler(ctx)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(to)
	answers := json.NewEncoder(out)
	for in := json.NewDecoder(bufio.NewReader(from)); ; {
		var c cluster
		if err := in.Decode(&c); errors.Is(err, io.EOF) {
			return out.Flush()
		} else if err != nil {
			return err
		}
		answer, err := verdicts(ctx, s, &c)
		if err != nil {
			return err
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
}

// newScheduler is a scheduler that is never run: no API server stands behind it.
func newScheduler(ctx context.Context) (*scheduler.Scheduler, error) {
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		return nil, err
	}
	silent := func(string) events.EventRecorderLogger { return nil }
	return scheduler.New(ctx, client, informers.NewSharedInformerFactory(client, 0), nil, silent)
}

// verdicts puts a cluster into the scheduler's memory, asks, and takes it out again.
func verdicts(ctx context.Context, s *scheduler.Scheduler, c *cluster) (all [][]string, err error) {
	log := klog.FromContext(ctx)
	filters := s.Profiles[corev1.DefaultSchedulerName]
	nodes := filters.SnapshotSharedLister().(*cache.Snapshot)
	for _, n := range c.Nodes {
		s.Cache.AddNode(log, n)
	}
	for _, p := range c.Pods {
		if err := s.Cache.AddPod(log, p); err != nil {
			return nil, err
		}
	}
	defer func() {
		for _, p := range c.Pods {
			err = errors.Join(err, s.Cache.RemovePod(log, p))
		}
		for _, n := range c.Nodes {
			err = errors.Join(err, s.Cache.RemoveNode(log, n))
		}
	}()
	if err := s.Cache.UpdateSnapshot(log, nodes); err != nil {
		return nil, err
	}
	for _, p := range c.Asks {
		each, err := ask(ctx, filters, nodes, p, c.Nodes)
		if err != nil {
			return nil, err
		}
		all = append(all, each)
	}
	return all, nil
}

// ask says why each node does not suit a pod.
func ask(ctx context.Context, f framework.Framework, in *cache.Snapshot, p *corev1.Pod, nodes []*corev1.Node) (each []string, err error) {
	cycle := framework.NewCycleState()
	among, first, _ := f.RunPreFilterPlugins(ctx, cycle, p)
	for _, n := range nodes {
		if !first.IsSuccess() {
			each = append(each, why(first))
			continue
		}
		if among != nil && !among.AllNodes() && !among.NodeNames.Has(n.Name) {
			each = append(each, "it is none of the nodes that the pod may be on")
			continue
		}
		info, err := in.Get(n.Name)
		if err != nil {
			return nil, err
		}
		each = append(each, why(f.RunFilterPlugins(ctx, cycle, p, info)))
	}
	return each, nil
}

// why is what a status says; "" for success.
func why(s *fwk.Status) string {
	if s.IsSuccess() {
		return ""
	}
	return s.Plugin() + ": " + s.Message()
}
