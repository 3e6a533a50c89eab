package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// musterDirect is Muster that binds pods by itself, musterWritten the same with Jobs that say so,
// as Jobs of other schedulers do, and musterThrough Muster that lets them go to kube-scheduler.
var (
	musterDirect = way{
		key: "muster-direct", name: "Muster, binds by itself", parts: []string{"muster", "kube-scheduler"},
		lacks: hasMuster, version: musterVersion, start: joins(true), make: batches(targeted),
	}
	musterWritten = way{
		key: "muster-written", name: "Muster, binds by itself, written by people", parts: []string{"muster", "kube-scheduler"},
		lacks: hasMuster, version: musterVersion, start: joins(true), make: batches(written),
	}
	musterThrough = way{
		key: "muster-scheduler", name: "Muster, through kube-scheduler", parts: []string{"muster", "kube-scheduler"},
		lacks: hasMuster, version: musterVersion, start: joins(false), make: batches(targeted),
	}
)

func hasMuster(o options) error {
	if _, err := os.Stat(o.muster); err != nil {
		return fmt.Errorf("%w; make build makes it", err)
	}
	return nil
}

func musterVersion(o options) string {
	out, err := exec.Command(o.muster, "version").Output()
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}

// targeted is a Job with a target: flex, or the quota of owned work.
func targeted(j job) batch {
	target := "flex"
	if j.class == owned {
		target = "oak"
	}
	return batch{
		podLabels: map[string]any{"muster.dev/target": target},
		podNotes:  map[string]any{"muster.dev/reach": "any"},
	}
}

// written is such a Job whose template says what admission would write into it.
func written(j job) batch {
	is := targeted(j)
	is.spec = kubetest.JSON{"schedulerName": "muster", "priorityClassName": "muster-managed"}
	return is
}

// joins enrols the namespace, starts `muster join --manage`, and grants the quota all GPUs where the task has one.
func joins(direct bool) func(context.Context, *bed) error {
	return func(ctx context.Context, b *bed) error {
		if err := b.admission(ctx, direct); err != nil {
			return err
		}
		if err := b.c.Call(ctx, http.MethodPatch, "/api/v1/namespaces/"+space, kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{"muster.dev/enrolled": "true"}}}, nil); err != nil {
			return err
		}
		listen := fmt.Sprintf("127.0.0.1:%d", kubetest.FreePort())
		if err := b.c.Run("muster", b.o.muster, []string{
			"join", "--manage", "--kubeconfig", b.c.Kubeconfig, "--name", "tiger", "--data", b.c.File("muster"), "--listen", listen, "--quotas", "none",
		}); err != nil {
			return err
		}
		if err := b.until(ctx, "pods wait for Muster", func() error { return b.waitsForMuster(ctx, direct) }); err != nil {
			return err
		}
		return b.grants(ctx, listen)
	}
}

// Where admission.yaml says who binds: as a variable, or as a comparison in every expression.
var (
	bindsByVariable = regexp.MustCompile(`(name: direct\n +expression: )"(true|false)"`)
	bindsEverywhere = regexp.MustCompile(`'(direct|scheduler)' == 'direct'`)
)

// admission applies deploy/kubernetes/admission.yaml in one of its two ways.
func (b *bed) admission(ctx context.Context, direct bool) error {
	data, err := os.ReadFile("deploy/kubernetes/admission.yaml")
	if err != nil {
		return err
	}
	who := map[bool]string{true: "direct", false: "scheduler"}[direct]
	data = bindsByVariable.ReplaceAll(data, fmt.Appendf(nil, "${1}%q", fmt.Sprint(direct)))
	data = bindsEverywhere.ReplaceAll(data, fmt.Appendf(nil, "'%s' == 'direct'", who))
	file := b.c.File("admission.yaml")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	return b.c.Create(ctx, file)
}

// waitsForMuster asks whether the API server gives pods to Muster already.
func (b *bed) waitsForMuster(ctx context.Context, direct bool) error {
	p := kubetest.Pod(space, "trial", 1)
	p["metadata"].(kubetest.JSON)["labels"] = kubetest.JSON{"muster.dev/target": "flex"}
	var is struct {
		Spec struct {
			SchedulerName   string
			SchedulingGates []kubetest.JSON
		}
	}
	if err := b.c.Call(ctx, http.MethodPost, "/api/v1/namespaces/"+space+"/pods?dryRun=All", p, &is); err != nil {
		return err
	}
	if (is.Spec.SchedulerName == "muster") != direct || !direct && len(is.Spec.SchedulingGates) == 0 {
		return fmt.Errorf("pods are made with the scheduler %q and %d gates", is.Spec.SchedulerName, len(is.Spec.SchedulingGates))
	}
	return nil
}

// grants gives the quota of owned work all GPUs, where the task has such work: no buffer is kept back.
func (b *bed) grants(ctx context.Context, server string) error {
	if !b.task.owns() {
		return nil
	}
	file := b.c.File("quotas.yaml")
	text := fmt.Sprintf("quotas:\n  - {path: oak, access: {namespaces: [tiger/%s]}, grants: [{partition: tiger/h200, gpus: %d}]}\n", space, b.task.nodes*gpusOfNode)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	for _, arguments := range [][]string{
		{"buffer", "set", "tiger/h200", "0%", "--reason", "a comparison"},
		{"apply", "-f", file},
	} {
		if err := b.until(ctx, "the quota is granted", func() error { return b.says(ctx, append(arguments, "--server", server)) }); err != nil {
			return err
		}
	}
	return nil
}

// says gives Muster's server a command.
func (b *bed) says(ctx context.Context, arguments []string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, b.o.muster, arguments...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
