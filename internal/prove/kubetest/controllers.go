package kubetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/muster-fleet/muster/internal/prove/testmodule"
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
	needs           []string // controllers that must run for this one to do anything
	hooks           string   // its webhooks, in the module's folder; "": its objects are made as these would make them
	pods            string   // the label of the pods that its webhooks are asked about
	secret          *secret  // a certificate that it makes for itself; nil: it is given one
	arguments       func(c *Cluster, in place) ([]string, error)
}

// ErrNoRoom says that a controller cannot run on this machine now.
var ErrNoRoom = errors.New("kubetest: another program has the port that the controller must have")

// place is where a controller runs: a folder with a certificate, and ports of its own.
type place struct {
	dir            string
	webhook, probe int
}

// config writes the controller's file of settings.
func (in place) config(format string, args ...any) (file string, err error) {
	file = filepath.Join(in.dir, "config.yaml")
	return file, os.WriteFile(file, fmt.Appendf(nil, format, args...), 0o600)
}

// configured are the arguments of those that read a file of settings of one shape.
func configured(apiVersion string) func(*Cluster, place) ([]string, error) {
	return func(_ *Cluster, in place) ([]string, error) {
		file, err := in.config(`apiVersion: %s
kind: Configuration
internalCertManagement: {enable: false}
leaderElection: {leaderElect: false}
metrics: {bindAddress: "0"}
health: {healthProbeBindAddress: "127.0.0.1:%d"}
webhook: {host: 127.0.0.1, port: %d, certDir: %q}
`, apiVersion, in.probe, in.webhook, in.dir)
		return []string{"--config", file}, err
	}
}

var controllers = map[string]controller{
	"jobset": {
		module: "sigs.k8s.io/jobset", program: "sigs.k8s.io/jobset", crds: "config/components/crd/bases/*.yaml",
		lists: []string{"/apis/jobset.x-k8s.io/v1alpha2/jobsets"},
		hooks: "config/components/webhook/manifests.yaml", pods: "jobset.sigs.k8s.io/jobset-name",
		arguments: configured("config.jobset.x-k8s.io/v1alpha1"),
	},
	"lws": {
		module: "sigs.k8s.io/lws", program: "sigs.k8s.io/lws/cmd", crds: "config/crd/bases/*.yaml",
		lists: []string{"/apis/leaderworkerset.x-k8s.io/v1/leaderworkersets"},
		hooks: "config/webhook/manifests.yaml", pods: "leaderworkerset.sigs.k8s.io/name",
		arguments: configured("config.lws.x-k8s.io/v1alpha1"),
	},
	"ray": {
		module: "github.com/ray-project/kuberay/ray-operator", program: "github.com/ray-project/kuberay/ray-operator", crds: "config/crd/bases/*.yaml",
		lists: []string{"/apis/ray.io/v1/rayclusters", "/apis/ray.io/v1/rayjobs", "/apis/ray.io/v1/rayservices"},
		arguments: func(_ *Cluster, in place) ([]string, error) {
			return []string{"--enable-leader-election=false", "--metrics-addr=0", fmt.Sprintf("--health-probe-bind-address=127.0.0.1:%d", in.probe)}, nil
		},
	},
	"mpi": {
		module: "github.com/kubeflow/mpi-operator", program: "github.com/kubeflow/mpi-operator/cmd/mpi-operator", crds: "manifests/base/kubeflow.org_mpijobs.yaml",
		lists: []string{"/apis/kubeflow.org/v2beta1/mpijobs"},
		arguments: func(*Cluster, place) ([]string, error) {
			const health = ":8080" // it can be told no other
			l, err := net.Listen("tcp", health)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrNoRoom, err)
			}
			_ = l.Close()
			return []string{"--lock-namespace=kube-system", "--kube-api-qps=500", "--kube-api-burst=500"}, nil
		},
	},
	"trainer": {
		module: "github.com/kubeflow/trainer/v2", program: "github.com/kubeflow/trainer/v2/cmd/trainer-controller-manager", crds: "manifests/base/crds/trainer*.yaml",
		lists: []string{
			"/apis/trainer.kubeflow.org/v1alpha1/trainjobs", "/apis/trainer.kubeflow.org/v1alpha1/trainingruntimes",
			"/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes",
		},
		needs:  []string{"jobset"},
		secret: &secret{"kubeflow-system", "kubeflow-trainer-webhook-cert", "/tmp/k8s-webhook-server/serving-certs", "validator.trainer.kubeflow.org"},
		arguments: func(_ *Cluster, in place) ([]string, error) {
			return []string{fmt.Sprintf("--health-probe-bind-address=127.0.0.1:%d", in.probe), fmt.Sprintf("--webhook-server-port=%d", in.webhook)}, nil
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
// run already, and what it needs before it. ErrAbsent: it is not built, and is
// not to be built.
func (c *Cluster) StartController(ctx context.Context, name string) error {
	is, known := controllers[name]
	if !known {
		return fmt.Errorf("kubetest: no controller %q", name)
	}
	for _, other := range is.needs {
		if err := c.StartController(ctx, other); err != nil {
			return err
		}
	}
	if c.Process(name) != 0 {
		return nil
	}
	module, err := testmodule.Dir("controllers/" + name)
	if err != nil {
		return err
	}
	program, err := controllerProgram(ctx, module, name, is.program)
	if err != nil {
		return err
	}
	source, err := sourceOf(ctx, module, is.module)
	if err != nil {
		return err
	}
	if err := c.makeKinds(ctx, source, is); err != nil {
		return err
	}
	in, err := c.placeOf(name)
	if err != nil {
		return err
	}
	arguments, err := is.arguments(c, in)
	if err != nil {
		return err
	}
	if err := c.makeRoom(ctx, is.secret); err != nil {
		return err
	}
	if err := c.Run(name, program, arguments, "KUBECONFIG="+c.Kubeconfig); err != nil {
		return err
	}
	if err := c.mount(ctx, name, is.secret); err != nil {
		return err
	}
	return c.makeHooks(ctx, source, name, is, in)
}

// placeOf makes a place for a controller.
func (c *Cluster) placeOf(name string) (in place, err error) {
	in = place{c.file("controller-" + name), FreePort(), FreePort()}
	if err := os.MkdirAll(in.dir, 0o750); err != nil {
		return in, err
	}
	return in, WriteCertificate(in.dir)
}

// sourceOf is where the module cache keeps the source of a module.
func sourceOf(ctx context.Context, module, of string) (string, error) {
	out, err := goIn(ctx, module, "list", "-m", "-f", "{{.Dir}}", of)
	if err != nil {
		return "", fmt.Errorf("kubetest: where is %s: %w\n%s", of, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// controllerProgram is the program, built where it is missing and that is asked for.
func controllerProgram(ctx context.Context, module, name, program string) (string, error) {
	file, err := cached("controllers", name+"-", module)
	if err != nil {
		return "", err
	}
	return kept{name, program, module, file, WantedControllers, ErrAbsent}.get(ctx)
}

// makeKinds creates the kinds of a controller from the files of its module, and waits
// until the API server serves them.
func (c *Cluster) makeKinds(ctx context.Context, source string, is controller) error {
	files, err := filepath.Glob(filepath.Join(source, is.crds))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("kubetest: %s has no files %s (%w)", is.module, is.crds, err)
	}
	return c.MakeKinds(ctx, files, is.lists)
}

// MakeKinds creates the custom resource definitions of some files, and waits until the API
// server serves lists of their objects.
func (c *Cluster) MakeKinds(ctx context.Context, files, lists []string) error {
	for _, file := range files {
		kinds, err := documents(file)
		if err != nil {
			return err
		}
		for _, kind := range kinds {
			if kind["kind"] != "CustomResourceDefinition" {
				continue
			}
			if err := c.make(ctx, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kind); err != nil {
				return err
			}
		}
	}
	return c.waitFor(ctx, lists)
}

// make creates an object, where it is not there already.
func (c *Cluster) make(ctx context.Context, path string, object JSON) error {
	var status *StatusError
	if err := c.Call(ctx, http.MethodPost, path, object, nil); err != nil && (!errors.As(err, &status) || status.Code != http.StatusConflict) {
		return err
	}
	return nil
}

// documents are the objects of a file of manifests.
func documents(file string) (list []JSON, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for docs := yaml.NewDecoder(bytes.NewReader(data)); ; {
		object := JSON{}
		if err := docs.Decode(&object); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, object)
	}
}

// waitFor waits until the API server serves lists, and lists them: discovery
// names kinds a moment later than they are served.
func (c *Cluster) waitFor(ctx context.Context, lists []string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, list := range lists {
		for c.Call(ctx, http.MethodGet, list, nil, nil) != nil || !c.names(ctx, list) {
			select {
			case <-ctx.Done():
				return fmt.Errorf("kubetest: %s is not served: %w", list, ctx.Err())
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	return nil
}

// names says whether the API server names the kind that is at a path.
func (c *Cluster) names(ctx context.Context, of string) bool {
	var group, version struct{ Resources []struct{ Name string } }
	dir, plural := path.Split(of)
	if c.Call(ctx, http.MethodGet, path.Dir(path.Dir(dir)), nil, &group) != nil || c.Call(ctx, http.MethodGet, path.Clean(dir), nil, &version) != nil {
		return false
	}
	return slices.ContainsFunc(version.Resources, func(r struct{ Name string }) bool { return r.Name == plural })
}
