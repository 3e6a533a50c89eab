package server

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/tofu"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// tofuOptions are those of what runs projects of OpenTofu or Terraform.
type tofuOptions struct {
	Projects, Branch, Token  string // where projects come from; "": none are run
	Program, Folder, Secrets string
	Harmless, Env            []string
	MaxDestroy               int
}

func tofuFlags(f *pflag.FlagSet, o *tofuOptions) {
	f.StringVar(&o.Projects, "tofu-projects", "", "folder or git repository of OpenTofu or Terraform projects, for blueprints with the runner tofu; none: no project is run")
	f.StringVar(&o.Branch, "tofu-branch", "main", "branch of that repository")
	f.StringVar(&o.Token, "tofu-token", "", "file of the token for that repository, over HTTPS")
	f.StringVar(&o.Program, "tofu", "", "the OpenTofu or Terraform program; none: tofu, else terraform, where the system finds it")
	f.StringVar(&o.Folder, "tofu-folder", "", "folder of states, runs and logs; none: tofu in the data folder. Several servers of one fleet share it")
	f.StringVar(&o.Secrets, "tofu-secrets", "", "folder of secrets that records name by file:NAME")
	f.StringSliceVar(&o.Env, "tofu-env", nil, "variables of the server's environment that records may name by env:NAME; none: no record may")
	f.StringSliceVar(&o.Harmless, "tofu-harmless", nil, "kinds of resources that an apply may destroy unasked: terraform_data, ...")
	f.IntVar(&o.MaxDestroy, "tofu-max-destroy", 0, "how many other resources an apply of a project may destroy before a person is asked")
}

// errAlone says that states of projects must not be one server's where several serve.
var errAlone = errors.New("--tofu-projects with a journal that several servers share needs --tofu-folder: a folder that all of them see")

// open starts the runner of projects; nil: none is set up.
func (o *tofuOptions) open(data string, shared bool) (*tofu.Runner, error) {
	if o.Projects == "" {
		return nil, nil
	}
	if o.Folder == "" && shared {
		return nil, errAlone
	}
	token, err := secretFile("--tofu-token", o.Token)
	if err != nil {
		return nil, err
	}
	program, err := o.find()
	if err != nil {
		return nil, err
	}
	return tofu.Open(tofu.Options{
		Program: program, Folder: o.folder(data), Source: tofu.NewSource(o.Projects, o.Branch, token), Secrets: o.Secrets, Env: o.Env, Harmless: o.Harmless, MaxDestroy: o.MaxDestroy,
	})
}

// find finds the program.
func (o *tofuOptions) find() (string, error) {
	names := []string{"tofu", "terraform"}
	if o.Program != "" {
		names = []string{o.Program}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("--tofu-projects needs the program %v, which is not here; install it, or name it with --tofu", names)
}

// runners are the pipelines that blueprints may name, beside those of a provider.
func runners(r *tofu.Runner, rest provision.Outside) provision.Outside {
	if r == nil {
		return rest
	}
	by, some := rest.(provision.BySteps)
	return provision.ByRunner{Rest: rest, Runners: map[string]provision.Outside{tofu.Word: r}, RestGoesFirst: some && isScaleSets(by[fleet.StepTeardown])}
}
