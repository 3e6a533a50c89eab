package kubetest

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/muster-fleet/muster/internal/prove/testmodule"
)

// Azure Service Operator's own controller, with the kinds and webhooks of its scale sets. Its list
// of kinds is narrowed to the group compute before it is built: with all of Azure that takes half an
// hour. What reconciles, converts and talks to Azure is as it is released.

const (
	operatorModule  = "github.com/Azure/azure-service-operator/v2"
	operatorKinds   = "internal/controllers/controller_resources_gen.go" // what is narrowed
	operatorName    = "aso"
	operatorGroup   = "compute"
	operatorSets    = "virtualmachinescalesets"
	operatorVersion = "v1api20220301"
)

// ErrNoOperator says that the operator is not built, and is not to be built.
var ErrNoOperator = errors.New("the controller of Azure Service Operator is not built; make controllers-test builds it, or " + WantedControllers + "=1 (minutes, once)")

// Cloud is what stands in for Azure.
type Cloud struct {
	URL          string // https
	Certificate  string // file
	Subscription string
}

// environment is what the operator is told of the cloud: its address, and where an identity's
// tokens are to be had.
func (of Cloud) environment() []string {
	return []string{
		"SSL_CERT_FILE=" + of.Certificate, "AZURE_SUBSCRIPTION_ID=" + of.Subscription, "AZURE_TENANT_ID=tenant", "AZURE_CLIENT_ID=client",
		"AZURE_RESOURCE_MANAGER_ENDPOINT=" + of.URL, "AZURE_RESOURCE_MANAGER_AUDIENCE=" + of.URL, "IDENTITY_ENDPOINT=" + of.URL + "/msi/token", "IDENTITY_HEADER=test",
		"AZURE_OPERATOR_MODE=watchers-and-webhooks", "AZURE_SYNC_PERIOD=1h", "POD_NAMESPACE=kube-aso", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1",
	}
}

// Operator is Azure Service Operator's controller on its way.
type Operator struct {
	c         *Cluster
	program   string
	arguments []string
	env       []string
	converts  string // where it converts its kinds from one version to another
}

// StartOperator makes the kinds of scale sets known, and starts the operator before a cloud, with its
// webhooks. ErrNoOperator: it is not built, and is not to be built.
func (c *Cluster) StartOperator(ctx context.Context, before Cloud) (*Operator, error) {
	dir, err := OperatorFiles(ctx)
	if err != nil {
		return nil, err
	}
	in, err := c.placeOf(operatorName)
	if err != nil {
		return nil, err
	}
	o := &Operator{
		c: c, program: filepath.Join(dir, "controller"), env: append(before.environment(), "KUBECONFIG="+c.Kubeconfig),
		converts: fmt.Sprintf("https://127.0.0.1:%d/convert", in.webhook),
		arguments: []string{
			"--crd-management=none", "--metrics-addr=0", fmt.Sprintf("--health-addr=127.0.0.1:%d", in.probe),
			fmt.Sprintf("--webhook-port=%d", in.webhook), "--webhook-cert-dir=" + in.dir,
		},
	}
	if err := o.makeKind(ctx, dir, in); err != nil {
		return nil, err
	}
	if err := o.Start(ctx); err != nil {
		return nil, err
	}
	err = o.makeHooks(ctx, dir, in)
	return o, err
}

// Start starts the operator, and waits until it converts.
func (o *Operator) Start(ctx context.Context) error {
	if err := o.c.Run(operatorName, o.program, o.arguments, o.env...); err != nil {
		return err
	}
	return o.c.serves(ctx, operatorName, o.converts)
}

// Kill ends the operator at once, as a crash would.
func (o *Operator) Kill() { o.c.KillPart(operatorName) }

// Log is all that it has said.
func (o *Operator) Log() string { return o.c.Log(operatorName) }

// makeKind makes scale sets known, which the operator converts, in all their versions: it looks for
// these once, when it starts.
func (o *Operator) makeKind(ctx context.Context, dir string, in place) error {
	cert, err := os.ReadFile(filepath.Join(in.dir, "tls.crt"))
	if err != nil {
		return err
	}
	list, err := documents(filepath.Join(dir, "crds", operatorGroup+".azure.com_"+operatorSets+".yaml"))
	if err != nil {
		return err
	}
	for _, kind := range list {
		kind["metadata"].(JSON)["labels"] = JSON{"app.kubernetes.io/name": "azure-service-operator"}
		kind["spec"].(JSON)["conversion"] = JSON{"strategy": "Webhook", "webhook": JSON{
			"clientConfig": JSON{"url": o.converts, "caBundle": base64.StdEncoding.EncodeToString(cert)}, "conversionReviewVersions": []string{"v1"},
		}}
		if err := o.c.make(ctx, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kind); err != nil {
			return err
		}
		var served []string
		for _, v := range kind["spec"].(JSON)["versions"].([]any) {
			served = append(served, fmt.Sprintf("/apis/%s.azure.com/%s/%s", operatorGroup, v.(JSON)["name"], operatorSets))
		}
		if err := o.c.waitFor(ctx, served); err != nil {
			return err
		}
	}
	return nil
}

// makeHooks has the API server ask the operator's webhooks about scale sets.
func (o *Operator) makeHooks(ctx context.Context, dir string, in place) error {
	all, err := documents(filepath.Join(dir, "webhooks", "manifests.yaml"))
	if err != nil {
		return err
	}
	for _, conf := range all {
		hooks := conf["webhooks"].([]any)
		conf["webhooks"] = hooksOf(hooks, operatorVersion+"."+operatorSets+".")
		if err := o.c.makeHook(ctx, operatorName, conf, "", in); err != nil {
			return err
		}
	}
	return nil
}

// hooksOf are the webhooks whose name has a part.
func hooksOf(all []any, part string) (list []any) {
	for _, hook := range all {
		if name, _ := hook.(JSON)["name"].(string); strings.Contains(name, part) {
			list = append(list, hook)
		}
	}
	return list
}

// OperatorFiles is the folder with the operator, and its kinds and webhooks as controller-gen makes
// them of its source. It is made where it is missing and that is asked for.
func OperatorFiles(ctx context.Context) (string, error) {
	module, err := testmodule.Dir("controllers/" + operatorName)
	if err != nil {
		return "", err
	}
	dir, err := cached("controllers", operatorName+"-", module, filepath.Join("narrow", "main.go"))
	if err != nil {
		return "", err
	}
	if there, err := exists(dir); there || err != nil {
		return dir, err
	}
	if os.Getenv(WantedControllers) != "1" {
		return "", ErrNoOperator
	}
	l, err := waitLock(ctx, dir+".lock")
	if err != nil {
		return "", err
	}
	defer l.free()
	if there, err := exists(dir); there || err != nil {
		return dir, err
	}
	fmt.Fprintf(os.Stderr, "builds Azure Service Operator's controller, once\n")
	made := fmt.Sprintf("%s.%d", dir, os.Getpid())
	defer func() { _ = os.RemoveAll(made) }()
	if err := (operatorBuild{module, made}).all(ctx); err != nil {
		return "", fmt.Errorf("%w: Azure Service Operator: %w", errNotBuilt, err)
	}
	return dir, os.Rename(made, dir)
}

// operatorBuild makes the operator's files in a folder.
type operatorBuild struct{ module, into string }

func (b operatorBuild) all(ctx context.Context) error {
	if err := os.MkdirAll(b.into, 0o750); err != nil {
		return err
	}
	source, err := sourceOf(ctx, b.module, operatorModule)
	if err != nil {
		return err
	}
	if err := b.manifests(ctx); err != nil {
		return err
	}
	narrowed, err := b.narrow(ctx, source)
	if err != nil {
		return err
	}
	return b.run(ctx, append([]string{"build"}, append(narrowed, "-ldflags", "-s -w", "-o", filepath.Join(b.into, "controller"), operatorModule+"/cmd/controller")...)...)
}

// manifests makes the kinds and webhooks, which are not in the module.
func (b operatorBuild) manifests(ctx context.Context) error {
	return b.run(ctx, "tool", "controller-gen", "crd:crdVersions=v1,allowDangerousTypes=true,maxDescLen=0", "webhook", "paths="+operatorModule+"/api/"+operatorGroup+"/...",
		"output:crd:dir="+filepath.Join(b.into, "crds"), "output:webhook:dir="+filepath.Join(b.into, "webhooks"))
}

// narrow are the arguments of a build with fewer kinds. The module cache takes no overlay, so the
// module is named by another path to it.
func (b operatorBuild) narrow(ctx context.Context, source string) ([]string, error) {
	link := filepath.Join(b.into, "source")
	kinds, err := goIn(ctx, b.module, "run", "./narrow", filepath.Join(source, operatorKinds), operatorGroup)
	if err != nil {
		return nil, fmt.Errorf("narrow: %w\n%s", err, kinds)
	}
	of := map[string][]byte{
		"kinds.go":     kinds,
		"overlay.json": fmt.Appendf(nil, `{"Replace": {%q: %q}}`, filepath.Join(link, operatorKinds), filepath.Join(b.into, "kinds.go")),
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(b.module, name))
		if err != nil {
			return nil, err
		}
		of["narrow."+strings.TrimPrefix(name, "go.")] = data
	}
	of["narrow.mod"] = fmt.Appendf(of["narrow.mod"], "\nreplace %s => %s\n", operatorModule, link)
	if err := errors.Join(os.Symlink(source, link), writeAll(b.into, of)); err != nil {
		return nil, err
	}
	return []string{"-modfile=" + filepath.Join(b.into, "narrow.mod"), "-overlay=" + filepath.Join(b.into, "overlay.json")}, nil
}

// run runs the go command in the operator's module.
func (b operatorBuild) run(ctx context.Context, arguments ...string) error {
	if out, err := goIn(ctx, b.module, arguments...); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(arguments, " "), err, out)
	}
	return nil
}
