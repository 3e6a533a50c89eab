package kubetest

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/prove/testmodule"
)

// KueueWanted is the environment variable that, set to 1, has Kueue's controller
// built where it is missing: that takes as long as the whole control plane.
const KueueWanted = "MUSTER_KUEUE"

// ErrNoKueue says that Kueue's controller is not there and is not to be built.
var ErrNoKueue = errors.New("the controller of Kueue is not built; " + KueueWanted + "=1 builds it once (minutes)")

// KueueBinary is Kueue's controller, in a folder of its own beside the control
// plane's, as its versions are others.
func KueueBinary(ctx context.Context) (string, error) {
	module, err := kueueModule()
	if err != nil {
		return "", err
	}
	dir, err := cached("controlplane", "", module)
	if err != nil {
		return "", err
	}
	return kept{"Kueue", "sigs.k8s.io/kueue/cmd/kueue", module, filepath.Join(dir, "kueue"), KueueWanted, ErrNoKueue}.get(ctx)
}

// kueueSpace is the namespace in which Kueue keeps its certificate.
const kueueSpace = "kube-kueue" // tests leave what begins with kube-

// StartKueue starts Kueue's controller, and waits until it serves. Its kinds of
// objects must be known. Its webhooks are not called: jobs must be made suspended.
func (c *Cluster) StartKueue(ctx context.Context) error {
	file, err := KueueBinary(ctx)
	if err != nil {
		return err
	}
	if err := c.kueueSecret(ctx); err != nil {
		return err
	}
	port := FreePort()
	certs := c.file("kueue-certs")
	if err := os.MkdirAll(certs, 0o750); err != nil {
		return err
	}
	if err := os.WriteFile(c.file("kueue.yaml"), fmt.Appendf(nil, kueueConfig, kueueSpace, port, certs), 0o600); err != nil {
		return err
	}
	if err := c.Run("kueue", file, []string{"--kubeconfig=" + c.Kubeconfig, "--config=" + c.file("kueue.yaml"), "--feature-gates=VisibilityOnDemand=false"}); err != nil {
		return err
	}
	return c.mountKueueCert(ctx, certs, port)
}

// kueueConfig is with everything off that would need a place in a real cluster.
const kueueConfig = `apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
namespace: %s
health: {healthProbeBindAddress: "0"}
metrics: {bindAddress: "0"}
webhook: {port: %d, certDir: %q}
leaderElection: {leaderElect: false}
clientConnection: {qps: 2000, burst: 2000}
controller: {groupKindConcurrency: {Job.batch: 5, Workload.kueue.x-k8s.io: 10, LocalQueue.kueue.x-k8s.io: 5, ClusterQueue.kueue.x-k8s.io: 5}}
internalCertManagement: {enable: true, webhookServiceName: kueue-webhook-service, webhookSecretName: kueue-webhook-server-cert}
integrations: {frameworks: ["batch/job"]}
`

// kueueSecret makes room for the certificate that Kueue makes for itself, and lets
// it be put into the kinds of objects that have several versions. Nothing is ever
// converted: all of it is read and written in the version in which it is kept.
func (c *Cluster) kueueSecret(ctx context.Context) error {
	steps := []struct {
		path   string
		object JSON
	}{
		{"/api/v1/namespaces", Namespace(kueueSpace)},
		{"/api/v1/namespaces/" + kueueSpace + "/secrets", JSON{"apiVersion": "v1", "kind": "Secret", "metadata": JSON{"name": "kueue-webhook-server-cert"}}},
	}
	for _, s := range steps {
		var is *StatusError
		if err := c.Call(ctx, http.MethodPost, s.path, s.object, nil); err != nil && !(errors.As(err, &is) && is.Code == http.StatusConflict) {
			return err
		}
	}
	for _, kind := range []string{"localqueues", "clusterqueues", "workloads", "cohorts", "multikueueclusters"} {
		service := JSON{"namespace": kueueSpace, "name": "kueue-webhook-service", "path": "/convert"}
		if err := c.Call(ctx, http.MethodPatch, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"+kind+".kueue.x-k8s.io", JSON{"spec": JSON{"conversion": JSON{
			"strategy": "Webhook", "webhook": JSON{"clientConfig": JSON{"service": service}, "conversionReviewVersions": []string{"v1"}},
		}}}, nil); err != nil {
			return err
		}
	}
	return nil
}

// mountKueueCert does what a kubelet would: it puts the certificate where Kueue
// looks for it. Then it waits until Kueue listens.
func (c *Cluster) mountKueueCert(ctx context.Context, dir string, port int) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		var secret struct{ Data map[string]string }
		_ = c.Call(ctx, http.MethodGet, "/api/v1/namespaces/"+kueueSpace+"/secrets/kueue-webhook-server-cert", nil, &secret)
		for name, text := range secret.Data {
			data, err := base64.StdEncoding.DecodeString(text)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600)
			}
			if err != nil {
				return err
			}
		}
		if conn, err := new(net.Dialer).DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("kubetest: Kueue does not listen: %w\n%s", ctx.Err(), c.lastWords("kueue"))
		case <-c.ended("kueue"):
			return errors.New("kubetest: Kueue ended\n" + c.lastWords("kueue"))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// KueueCRDs lists the files of Kueue's custom resource definitions, as they lie in
// its module: version and checksum are those of test/kueue.
func KueueCRDs(ctx context.Context) ([]string, error) {
	dir, err := kueueSource(ctx)
	if err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(dir, "config", "components", "crd", "bases", "kueue.x-k8s.io_*.yaml"))
}

// KueueVersion is the version of Kueue; empty: it is not known.
func KueueVersion(ctx context.Context) string {
	module, err := kueueModule()
	if err != nil {
		return ""
	}
	out, err := goIn(ctx, module, "list", "-m", "-f", "{{.Version}}", "sigs.k8s.io/kueue")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// kueueModule is the folder of the module that names Kueue.
func kueueModule() (string, error) {
	return testmodule.Dir("kueue")
}

// kueueSource is where the module cache keeps Kueue; it is fetched if need be.
func kueueSource(ctx context.Context) (string, error) {
	module, err := kueueModule()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", "sigs.k8s.io/kueue")
	cmd.Dir = module
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("kubetest: %s: %w\n%s", cmd, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if _, dir, ok := strings.Cut(line, `"Dir": "`); ok {
			return strings.Split(dir, `"`)[0], nil
		}
	}
	return "", fmt.Errorf("kubetest: %s names no folder:\n%s", cmd, out)
}
