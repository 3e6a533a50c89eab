package gitcheckin

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Checkin pushes the records of clusters. It implements provision.Outside for the step
// check-in, and provision.Checker.
type Checkin struct {
	Repository string           // a URL, or a folder
	Branch     string           // that counts; "": main
	Folder     string           // of the records in the repository; "": clusters
	Token      string           // of an HTTPS remote; "": git's own ways
	Now        func() time.Time // nil: time.Now

	looks looks
}

func (c *Checkin) branch() string {
	if c.Branch == "" {
		return "main"
	}
	return c.Branch
}

// File is where a cluster's record stands in the repository. A name of a cluster has no
// slash and does not begin with a dot.
func (c *Checkin) File(cluster string) string {
	folder := c.Folder
	if folder == "" {
		folder = "clusters"
	}
	return path.Join(folder, cluster+".yaml")
}

// Render is the record of a cluster as a file: what other projects need to know of it.
func Render(r fleet.ClusterRecord) ([]byte, error) {
	type island struct {
		Name  string `yaml:"name"`
		Nodes int    `yaml:"nodes"`
	}
	out := struct {
		Name         string            `yaml:"name"`
		Provider     string            `yaml:"provider"`
		Subscription string            `yaml:"subscription"`
		Region       string            `yaml:"region"`
		SKU          string            `yaml:"sku,omitempty"`
		GPU          string            `yaml:"gpu"`
		GPUsPerNode  int               `yaml:"gpusPerNode"`
		Islands      []island          `yaml:"islands"`
		Blueprint    string            `yaml:"blueprint"`
		Variables    map[string]string `yaml:"variables,omitempty"`
	}{
		Name: r.Name, Provider: r.Provider, Subscription: r.Subscription, Region: r.Region, SKU: r.SKU, GPU: r.GPU, GPUsPerNode: r.GPUsPerNode,
		Blueprint: r.Blueprint, Variables: r.Variables,
	}
	for _, i := range r.Islands {
		out.Islands = append(out.Islands, island{i.Name, i.Nodes})
	}
	return yaml.Marshal(out)
}

// branchOf is the branch of an operation.
func branchOf(o provision.Order) string { return "muster/" + o.ID }

// Find looks for the branch of an operation; or for the record on the branch that counts,
// where the branch was merged and is gone.
func (c *Checkin) Find(ctx context.Context, o provision.Order) (provision.Report, bool, error) {
	heads, err := c.git(ctx, "", "ls-remote", "--heads", "--", c.place().Address, "refs/heads/"+branchOf(o))
	if err != nil {
		return provision.Report{}, false, err
	}
	if commit, _, ok := strings.Cut(heads, "\t"); ok {
		return pushed(o, commit), true, nil
	}
	commit, err := c.Merged(ctx, o.Record)
	if err != nil || commit == "" {
		return provision.Report{}, false, err
	}
	return provision.Report{State: fleet.OperationSucceeded, Detail: "commit " + commit}, true, nil
}

func pushed(o provision.Order, commit string) provision.Report {
	return provision.Report{State: fleet.OperationSucceeded, Detail: "branch " + branchOf(o) + ", commit " + commit}
}

// Begin pushes a branch with the record.
func (c *Checkin) Begin(ctx context.Context, o provision.Order) (provision.Report, error) {
	data, err := Render(o.Record)
	if err != nil {
		return provision.Report{}, fmt.Errorf("git check-in: %w", err)
	}
	var commit string
	err = c.inClone(ctx, func(folder string) error {
		if err := write(folder, c.File(o.Record.Name), data); err != nil {
			return err
		}
		for _, args := range [][]string{
			{"add", "--", c.File(o.Record.Name)},
			{"commit", "--quiet", "--allow-empty", "--no-verify", "-m", "Check in cluster " + o.Record.Name},
			// An empty expectation: the branch must not be there yet.
			{"push", "--quiet", "--force-with-lease=refs/heads/" + branchOf(o) + ":", "--", c.place().Address, "HEAD:refs/heads/" + branchOf(o)},
		} {
			if _, err := c.git(ctx, folder, args...); err != nil {
				return err
			}
		}
		commit, err = c.git(ctx, folder, "rev-parse", "HEAD")
		return err
	})
	if err != nil {
		return provision.Report{}, err
	}
	return pushed(o, strings.TrimSpace(commit)), nil
}

// Unblock does nothing: a branch that waits for a merge is no operation that is blocked.
func (c *Checkin) Unblock(context.Context, provision.Order) error { return nil }

// Look says nothing: the check-in is looked for by CheckedIn.
func (c *Checkin) Look(context.Context, provision.Subject) ([]fleet.StepEvidence, error) {
	return nil, nil
}

// Merged is the commit at which a record stands on the branch that counts, looked for now; "": it does not stand there.
func (c *Checkin) Merged(ctx context.Context, r fleet.ClusterRecord) (commit string, _ error) {
	want, err := Render(r)
	if err != nil {
		return "", fmt.Errorf("git check-in: %w", err)
	}
	err = c.inClone(ctx, func(folder string) error {
		is, err := read(folder, c.File(r.Name), len(want)+1)
		if err != nil || !bytes.Equal(is, want) {
			return err
		}
		commit, err = c.git(ctx, folder, "rev-parse", "HEAD")
		return err
	})
	return strings.TrimSpace(commit), err
}

// inClone does something in a fresh copy of the branch that counts, which is removed afterwards.
func (c *Checkin) inClone(ctx context.Context, do func(folder string) error) error {
	folder, err := os.MkdirTemp("", "muster-checkin-")
	if err != nil {
		return fmt.Errorf("git check-in: %w", err)
	}
	defer os.RemoveAll(folder)
	if _, err := c.git(ctx, "", "clone", "--quiet", "--depth=1", "--single-branch", "--no-tags", "--branch", c.branch(), "--", c.place().Address, folder); err != nil {
		return err
	}
	return do(folder)
}
