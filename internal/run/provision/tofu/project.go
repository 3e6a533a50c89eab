package tofu

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-exec/tfexec"
	tfjson "github.com/hashicorp/terraform-json"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// call is one project of one run, laid out for the program.
type call struct {
	tool    *tfexec.Terraform
	quiet   *tfexec.Terraform // whose answers go to no log: a plan as JSON shows every value
	folder  string
	log     *log
	mask    func(string) string
	destroy bool
	look    bool // nothing is changed: no lock is taken
}

// The files that a call adds to a project's copy.
const (
	overrideFile  = "muster_override.tf"
	variablesFile = "muster.tfvars.json"
	planFile      = "muster.plan"
)

// prepare copies a project, and hands it its variables and Muster's state backend.
func (r *Runner) prepare(ctx context.Context, o provision.Order, p *project, password string) (*call, error) {
	folder := filepath.Join(r.o.Folder, "work", o.ID, p.Name)
	commit, err := r.o.Source.copy(ctx, filepath.Join(r.o.Folder, "source"), p.Name, folder)
	if err != nil {
		return nil, err
	}
	p.Commit = commit
	variables, secrets, err := r.variables(o, folder)
	if err != nil {
		return nil, err
	}
	c := &call{folder: folder, mask: provision.Masker(append(secrets, password)...), destroy: o.Step == fleet.StepTeardown, look: o.Step == fleet.StepProjects}
	for name, text := range map[string]string{overrideFile: "terraform {\n  backend \"http\" {}\n}\n", variablesFile: variables} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	if c.log, err = openLog(r.LogOf(o.ID), c.mask); err != nil {
		return nil, err
	}
	c.log.say("== project %s at %s", p.Name, commit)
	if err := c.tools(r.o.Program, r.environment(o, p.Name, password)); err != nil {
		c.end()
		return nil, err
	}
	if err := c.limited(ctx, func(ctx context.Context) error { return c.tool.Init(ctx, tfexec.Reconfigure(true)) }); err != nil {
		c.end()
		return nil, c.masked(err)
	}
	return c, nil
}

func (c *call) tools(program string, env map[string]string) (err error) {
	if c.tool, err = tfexec.NewTerraform(c.folder, program); err != nil {
		return err
	}
	if c.quiet, err = tfexec.NewTerraform(c.folder, program); err != nil {
		return err
	}
	c.tool.SetStdout(c.log)
	c.tool.SetStderr(c.log)
	return errors.Join(c.tool.SetEnv(env), c.quiet.SetEnv(env))
}

// environment is what the program knows of the machine: all but what is Muster's own, and
// where the state is.
func (r *Runner) environment(o provision.Order, project, password string) map[string]string {
	env := map[string]string{}
	for _, e := range os.Environ() {
		if name, value, _ := strings.Cut(e, "="); passes(name, value) {
			env[name] = value
		}
	}
	address := "http://" + r.backend.address + "/state?" + url.Values{"cluster": {o.Record.Name}, "project": {project}}.Encode()
	maps.Copy(env, map[string]string{
		"CHECKPOINT_DISABLE": "1", "NO_COLOR": "1", "TF_HTTP_ADDRESS": address, "TF_HTTP_LOCK_ADDRESS": address, "TF_HTTP_UNLOCK_ADDRESS": address,
		"TF_HTTP_USERNAME": o.ID, "TF_HTTP_PASSWORD": password, markName: r.mark(o),
	})
	return env
}

// markName is the variable by which all processes of a run are known, also those that a crash has left behind.
const markName = "MUSTER_RUN"

// mark names a run of this folder: runs of other servers on the machine may bear the same operation.
func (r *Runner) mark(o provision.Order) string {
	folder, err := filepath.Abs(r.o.Folder)
	if err != nil {
		folder = r.o.Folder
	}
	return filepath.Join(folder, "runs", o.ID)
}

// passes says whether a variable of the machine is handed on.
func passes(name, value string) bool {
	switch name {
	case "TF_CLI_CONFIG_FILE", "TF_PLUGIN_CACHE_DIR":
		_, err := os.Stat(value)
		return err == nil
	}
	return !strings.HasPrefix(name, "MUSTER_") && !strings.HasPrefix(name, "TF_")
}

// variables are those of a record as a file, and the secrets among them. What every cluster has is
// handed only to a project that declares it: about each other one the program would warn.
func (r *Runner) variables(o provision.Order, project string) (file string, secrets []string, err error) {
	rec := o.Record
	islands := map[string]int{}
	for _, i := range rec.Islands {
		islands[i.Name] = i.Nodes
	}
	all := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(rec.Variables)) {
		value, secret, err := r.resolve(name, rec.Variables[name])
		if err != nil {
			return "", nil, err
		}
		if secret {
			secrets = append(secrets, value)
		}
		all[name] = value
	}
	own := map[string]any{
		"cluster": rec.Name, "generation": o.Generation, "subscription": rec.Subscription, "region": rec.Region, "sku": rec.SKU, "gpu": rec.GPU,
		"gpus_per_node": rec.GPUsPerNode, "nodes": rec.Nodes(), "islands": islands, "owner": rec.Owner,
	}
	declared, err := declaredIn(project)
	if err != nil {
		return "", nil, err
	}
	for name, value := range own {
		delete(all, name) // a variable of the record that is called so says nothing
		if declared(name) {
			all[name] = value
		}
	}
	data, err := json.MarshalIndent(all, "", "  ")
	return string(data) + "\n", secrets, err
}

var variableBlock = regexp.MustCompile(`(?m)^\s*variable\s+"?([\w-]+)"?\s*\{`)

// declaredIn tells the variables that a project declares. Of one that is written as JSON, which is
// for programs, every variable is said to be declared.
func declaredIn(project string) (func(name string) bool, error) {
	files, err := os.ReadDir(project)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, f := range files {
		switch {
		case strings.HasSuffix(f.Name(), ".tf.json"), strings.HasSuffix(f.Name(), ".tofu.json"):
			return func(string) bool { return true }, nil
		case filepath.Ext(f.Name()) != ".tf" && filepath.Ext(f.Name()) != ".tofu":
			continue
		}
		text, err := os.ReadFile(filepath.Join(project, f.Name()))
		if err != nil {
			return nil, err
		}
		for _, found := range variableBlock.FindAllSubmatch(text, -1) {
			names[string(found[1])] = true
		}
	}
	return func(name string) bool { return names[name] }, nil
}

// resolve is the value of a variable. One that says where a secret is becomes the secret.
func (r *Runner) resolve(name, value string) (_ string, secret bool, _ error) {
	if at, is := strings.CutPrefix(value, "env:"); is {
		if got := os.Getenv(at); got != "" && slices.Contains(r.o.Env, at) {
			return got, true, nil
		}
		return "", false, fmt.Errorf("variable %s: %s is no secret that records may name; set it in the server's environment, and name it with --tofu-env", name, value)
	}
	if at, is := strings.CutPrefix(value, "file:"); is {
		if r.o.Secrets == "" || !filepath.IsLocal(at) {
			return "", false, fmt.Errorf("variable %s: %s is no secret that the server may read; put it into the folder that --tofu-secrets names, and write its path there", name, value)
		}
		data, err := os.ReadFile(filepath.Join(r.o.Secrets, at))
		if err != nil {
			return "", false, fmt.Errorf("variable %s: %s is no secret that the server can read: %w", name, value, err)
		}
		return strings.TrimSpace(string(data)), true, nil
	}
	if strings.HasPrefix(value, "secret:") {
		return "", false, fmt.Errorf("variable %s: %s is no secret that the runner tofu reads; write env:NAME or file:PATH", name, value)
	}
	return value, false, nil
}

// limited bounds a call that changes nothing.
func (c *call) limited(ctx context.Context, do func(context.Context) error) error {
	ctx, end := context.WithTimeout(ctx, planLimit)
	defer end()
	return do(ctx)
}

// plan says whether anything would change, and keeps the plan.
func (c *call) plan(ctx context.Context) (changes bool, _ error) {
	err := c.limited(ctx, func(ctx context.Context) (err error) {
		changes, err = c.tool.Plan(ctx, tfexec.Out(planFile), tfexec.VarFile(variablesFile), tfexec.Destroy(c.destroy), tfexec.Lock(!c.look), tfexec.LockTimeout("20s"))
		return err
	})
	return changes, c.masked(err)
}

// show is the plan that was made.
func (c *call) show(ctx context.Context) (plan *tfjson.Plan, _ error) {
	err := c.limited(ctx, func(ctx context.Context) (err error) {
		plan, err = c.quiet.ShowPlanFile(ctx, planFile)
		return err
	})
	return plan, c.masked(err)
}

// apply applies the plan that was made, and no other.
func (c *call) apply(ctx context.Context) error {
	ctx, end := context.WithTimeout(ctx, applyLimit)
	defer end()
	return c.masked(c.tool.Apply(ctx, tfexec.DirOrPlan(planFile), tfexec.LockTimeout("20s")))
}

// masked takes secrets out of an error.
func (c *call) masked(err error) error {
	if text := fmt.Sprint(err); err != nil && c.mask(text) != text {
		return errors.New(c.mask(text))
	}
	return err
}

// end leaves nothing behind that holds a secret.
func (c *call) end() {
	c.log.close()
	_ = os.RemoveAll(c.folder)
	_ = os.Remove(filepath.Dir(c.folder)) // of the run, once its last project is gone
}
