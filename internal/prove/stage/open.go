package kube

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Theatre is a cluster on which stories can be told.
type Theatre struct {
	People  string // kubeconfig of who may make nodes and pods there
	Agent   string // kubeconfig of Muster's agent; "": the same
	Context string // in both; "": the current one
	// Patience is how long the cluster may take to come to rest.
	Patience time.Duration
	Log      *slog.Logger // nil: nothing is logged

	people *plain.Server
	agent  *Client
}

// Server is the address of the API server.
func (th *Theatre) Server() string { return th.agent.Server }

// Open reaches the cluster.
func (th *Theatre) Open() (err error) {
	if th.Agent == "" {
		th.Agent = th.People
	}
	if th.Log == nil {
		th.Log = slog.New(slog.DiscardHandler)
	}
	if th.people, err = peopleOf(th.People, th.Context); err != nil {
		return err
	}
	th.agent, err = Connect(th.Agent, th.Context)
	return err
}

// Others lists nodes and pods that no story has made: a story would take them for its own.
func (th *Theatre) Others(ctx context.Context) (list []string, err error) {
	for _, kind := range []string{"nodes", "pods"} {
		var all struct {
			Items []struct {
				Metadata struct{ Name, Namespace string }
			}
		}
		if err := th.people.Call(ctx, http.MethodGet, "/api/v1/"+kind+"?labelSelector=!"+ofAStory, nil, &all); err != nil {
			return nil, err
		}
		for _, is := range all.Items {
			list = append(list, strings.TrimSuffix(kind, "s")+" "+strings.TrimPrefix(is.Metadata.Namespace+"/"+is.Metadata.Name, "/"))
		}
	}
	return list, nil
}

// Gates asks whether pods with a target are made to wait for Muster there.
func (th *Theatre) Gates(ctx context.Context) error {
	s := th.stage("", nil)
	if err := s.home(ctx, "muster-story"); err != nil {
		return err
	}
	trial := fleet.Spec{Name: "trial", Namespace: "muster-story", Target: fleet.Flex, Priority: fleet.Mid}
	p := s.podOf(trial, fleet.Pool{Name: "main", GPUs: 1, Min: 1, Max: 1, Reach: fleet.ReachAny})
	for until := time.Now().Add(gatesWithin); ; time.Sleep(100 * time.Millisecond) { // a policy is in force a moment after it was made
		var made struct {
			Spec struct{ SchedulingGates []object }
		}
		err := th.people.Call(ctx, http.MethodPost, "/api/v1/namespaces/muster-story/pods?dryRun=All", p, &made)
		if err == nil && len(made.Spec.SchedulingGates) > 0 {
			return nil
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return errors.Join(errors.New("pods with a target do not wait for Muster there; apply deploy/kubernetes/admission.yaml (before Kubernetes 1.36, webhook.yaml)"), err)
		}
	}
}

// gatesWithin is how long an admission policy may take to be in force.
const gatesWithin = 30 * time.Second

// Stage is the cluster as the stage of a story about one cluster, of this name.
func (th *Theatre) Stage(cluster string, now func() fleet.Instant, runtime func(driver.Job) (time.Duration, bool)) (*Stage, error) {
	if th.people == nil {
		return nil, fmt.Errorf("kube: the theatre is not open")
	}
	s := th.stage(cluster, now)
	s.programs = simulated.New(simulated.Options{WholeGrace: true, Runtime: runtime})
	return s, nil
}

func (th *Theatre) stage(cluster string, now func() fleet.Instant) *Stage {
	return &Stage{
		log: th.Log, people: th.people, client: th.agent, now: now, cluster: cluster, speed: th.Patience,
		crews: map[[2]string]*crew{}, born: map[string]fleet.Instant{}, known: map[string]bool{}, homes: map[string]bool{}, refused: map[[2]string]*core.Refusal{},
	}
}
