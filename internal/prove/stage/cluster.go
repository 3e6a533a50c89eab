package stage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// object is one of Kubernetes' objects, or a part of one.
type object = plain.Object

// storyLabel is on everything that stories create.
const storyLabel = "muster.dev/story"

// Cluster is a Kubernetes cluster on which stories can be played.
type Cluster struct {
	Admin   string // kubeconfig of a user who may create nodes and pods there
	Agent   string // kubeconfig with the rights of Muster's agent; "": Admin's
	Context string // in both; "": the current one
	// Patience is how long the cluster may take to come to rest.
	Patience time.Duration
	Log      *slog.Logger // nil: nothing is logged

	admin *plain.Server
	agent *kube.Client
}

// Server is the address of the API server.
func (c *Cluster) Server() string { return c.agent.Server }

// Open reads the kubeconfigs; it does not call the API server.
func (c *Cluster) Open() (err error) {
	if c.Agent == "" {
		c.Agent = c.Admin
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.admin, err = connect(c.Admin, c.Context); err != nil {
		return err
	}
	c.agent, err = kube.Connect(c.Agent, c.Context)
	return err
}

// connect makes the administrator's client of a kubeconfig and a context in it.
func connect(file, in string) (*plain.Server, error) {
	config, err := kube.ConfigOf(file, in)
	if err != nil {
		return nil, err
	}
	to, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return &plain.Server{URL: strings.TrimSuffix(to.String(), "/"), HTTP: client}, nil
}

// Others lists nodes and pods that no story created: a story would count them as its own.
func (c *Cluster) Others(ctx context.Context) (list []string, err error) {
	for _, kind := range []string{"nodes", "pods"} {
		var all struct {
			Items []struct {
				Metadata struct{ Name, Namespace string }
			}
		}
		if err := c.admin.Call(ctx, http.MethodGet, "/api/v1/"+kind+"?labelSelector=!"+storyLabel, nil, &all); err != nil {
			return nil, err
		}
		for _, is := range all.Items {
			list = append(list, strings.TrimSuffix(kind, "s")+" "+strings.TrimPrefix(is.Metadata.Namespace+"/"+is.Metadata.Name, "/"))
		}
	}
	return list, nil
}

// gatesWithin is how long an admission policy may take to be in force.
const gatesWithin = 30 * time.Second

// CheckGates returns an error unless the cluster lets pods with a target wait for Muster.
func (c *Cluster) CheckGates(ctx context.Context) error {
	s := c.stage("", nil)
	if err := s.createNamespace(ctx, "muster-story"); err != nil {
		return err
	}
	trial := fleet.Spec{Name: "trial", Namespace: "muster-story", Target: fleet.Flex, Priority: fleet.Mid}
	p := s.podOf(trial, fleet.Pool{Name: "main", GPUs: 1, Min: 1, Max: 1, Reach: fleet.ReachAny})
	for until := time.Now().Add(gatesWithin); ; time.Sleep(100 * time.Millisecond) { // a policy is in force a moment after it was created
		var made struct {
			Spec struct {
				SchedulerName   string
				SchedulingGates []object
			}
		}
		err := c.admin.Call(ctx, http.MethodPost, "/api/v1/namespaces/muster-story/pods?dryRun=All", p, &made)
		if err == nil && (len(made.Spec.SchedulingGates) > 0 || made.Spec.SchedulerName == translate.Scheduler) {
			return nil
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return errors.Join(errors.New("pods with a target do not wait for Muster there; apply deploy/kubernetes/admission.yaml (before Kubernetes 1.36, webhook.yaml)"), err)
		}
	}
}

// Stage prepares the cluster for a story about one cluster of this name. runtime is how
// long a workload runs that ends by itself.
func (c *Cluster) Stage(name string, now func() fleet.Instant, runtime func(driver.Job) (time.Duration, bool)) (*Stage, error) {
	if c.admin == nil {
		return nil, errors.New("stage: the cluster is not open")
	}
	s := c.stage(name, now)
	s.programs = simulated.New(simulated.Options{WholeGrace: true, Runtime: runtime})
	return s, nil
}

func (c *Cluster) stage(name string, now func() fleet.Instant) *Stage {
	return &Stage{
		cluster: c, name: name, now: now, controllers: map[workload]*controller{}, jobs: map[uint64]driver.Job{}, refused: map[workload]*core.Refusal{},
		created: created{nodes: map[string]bool{}, namespaces: map[string]bool{}, pods: map[string]fleet.Instant{}},
	}
}

// Clear removes the nodes and pods that the stage created; the namespaces stay.
func (s *Stage) Clear(ctx context.Context) error {
	if s.leave != nil {
		s.leave()
	}
	for until := time.Now().Add(s.cluster.Patience); ; time.Sleep(50 * time.Millisecond) { // the cluster is another process: there is nothing to wait on
		left, err := s.clearOnce(ctx)
		switch {
		case err == nil && left == "":
			return nil
		case time.Now().After(until):
			return errors.Join(fmt.Errorf("%s of the story are left", left), err)
		}
	}
}

// clearOnce deletes all nodes and pods of the story, and says what is left.
func (s *Stage) clearOnce(ctx context.Context) (left string, err error) {
	err = s.cluster.admin.Call(ctx, http.MethodDelete, "/api/v1/nodes?labelSelector="+storyLabel, nil, nil)
	pods, wrong := s.list(ctx)
	for _, p := range pods {
		wrong = errors.Join(wrong, s.release(ctx, p, true))
	}
	var nodes struct{ Items []object }
	err = errors.Join(err, wrong, s.cluster.admin.Call(ctx, http.MethodGet, "/api/v1/nodes?labelSelector="+storyLabel, nil, &nodes))
	if len(nodes.Items)+len(pods) > 0 {
		left = fmt.Sprintf("%d pods and %d nodes", len(pods), len(nodes.Items))
	}
	return left, err
}
