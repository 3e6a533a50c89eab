package kubetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Other people's controllers, each built from a module of its own below
// test/controllers, so that none decides what another or the control plane is built of.

// WantedControllers is the environment variable that, set to 1, has them built where
// they are missing; without it a test that needs one is skipped.
const WantedControllers = "MUSTER_CONTROLLERS"

// controller is a program that makes pods of its kinds of objects.
type controller struct {
	module, program string   // of Go, and the package to build
	crds            string   // its kinds, in the module's folder
	lists           []string // paths that answer once its kinds are known
	arguments       func(c *Cluster, dir string, port func() int) []string
}

var controllers = map[string]controller{
	"jobset": {
		module: "sigs.k8s.io/jobset", program: "sigs.k8s.io/jobset", crds: "config/components/crd/bases/*.yaml",
		lists: []string{"/apis/jobset.x-k8s.io/v1alpha2/jobsets"},
		arguments: func(_ *Cluster, dir string, port func() int) []string {
			file := filepath.Join(dir, "config.yaml")
			_ = os.WriteFile(file, fmt.Appendf(nil, `apiVersion: config.jobset.x-k8s.io/v1alpha1
kind: Configuration
internalCertManagement: {enable: false}
leaderElection: {leaderElect: false}
metrics: {bindAddress: "0"}
health: {healthProbeBindAddress: "127.0.0.1:%d"}
webhook: {host: 127.0.0.1, port: %d, certDir: %q}
`, port(), port(), dir), 0o600)
			return []string{"--config", file}
		},
	},
}

func sortedNames[V any](of map[string]V) (names []string) {
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// StartController makes a controller's kinds known and starts it, where it does not
// run already. ErrAbsent: it is not built, and nobody asked to build it.
func (c *Cluster) StartController(ctx context.Context, name string) error {
	is, known := controllers[name]
	if !known {
		return fmt.Errorf("kubetest: no controller %q", name)
	}
	if c.Process(name) != 0 {
		return nil
	}
	module, err := moduleDir()
	if err != nil {
		return err
	}
	module = filepath.Join(filepath.Dir(module), "controllers", name)
	program, err := controllerProgram(ctx, module, name, is.program)
	if err != nil {
		return err
	}
	if err := c.makeKinds(ctx, module, is); err != nil {
		return err
	}
	dir := c.file("controller-" + name)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	if err := WriteCertificate(dir); err != nil {
		return err
	}
	return c.startProgram(name, program, is.arguments(c, dir, freePort), "KUBECONFIG="+c.Kubeconfig)
}

// controllerProgram is the program, built where it is missing and somebody says so.
func controllerProgram(ctx context.Context, module, name, program string) (string, error) {
	file, err := cached("controllers", name+"-", module)
	if err != nil {
		return "", err
	}
	return kept{name, program, module, file, WantedControllers, ErrAbsent}.get(ctx)
}

// makeKinds creates the kinds of a controller from the files of its module, and waits
// until the API server serves them.
func (c *Cluster) makeKinds(ctx context.Context, module string, is controller) error {
	out, err := goIn(ctx, module, "list", "-m", "-f", "{{.Dir}}", is.module)
	if err != nil {
		return fmt.Errorf("kubetest: where is %s: %w\n%s", is.module, err, out)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), is.crds))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("kubetest: %s has no files %s (%w)", is.module, is.crds, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for docs := yaml.NewDecoder(bytes.NewReader(data)); ; {
			kind := JSON{}
			if docs.Decode(&kind) != nil {
				break
			}
			if kind["kind"] != "CustomResourceDefinition" {
				continue
			}
			var status *StatusError
			err := c.Call(ctx, http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kind, nil)
			if err != nil && (!errors.As(err, &status) || status.Code != http.StatusConflict) {
				return err
			}
		}
	}
	return c.waitFor(ctx, is.lists)
}

func (c *Cluster) waitFor(ctx context.Context, lists []string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, path := range lists {
		for c.Call(ctx, http.MethodGet, path, nil, nil) != nil {
			select {
			case <-ctx.Done():
				return fmt.Errorf("kubetest: %s is not served: %w", path, ctx.Err())
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	return nil
}
