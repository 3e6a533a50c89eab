package kubetest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	_ "embed"
	"encoding/pem"
	"fmt"
	"os"
)

// stages say what kwok does to nodes and pods.
//
//go:embed stages.yaml
var stages []byte

// Users besides the administrator; their token is their name, and what they may
// is what RBAC gives them.
const Users = "agent,agent,2\n"

func (c *Cluster) writeFiles() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	pemKey := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	c.Kubeconfig = c.file("kubeconfig")
	for name, data := range map[string][]byte{
		"service-accounts.key": pemKey,
		"tokens.csv":           []byte(c.Token + ",admin,1,system:masters\n" + Users),
		"stages.yaml":          stages,
		"kubeconfig":           c.KubeconfigOf(c.Token),
	} {
		if err := os.WriteFile(c.file(name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// KubeconfigOf is a kubeconfig of a user by token.
func (c *Cluster) KubeconfigOf(token string) []byte { return KubeconfigTo(c.URL, token) }

// KubeconfigTo is a kubeconfig of a user by token, for another address.
func KubeconfigTo(url, token string) []byte {
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: test, user: {token: %q}}]
contexts: [{name: test, context: {cluster: test, user: test}}]
current-context: test
`, url, token)
}

// arguments are those of one program. A full disk or a slow one must not fail a
// test: etcd does not wait for it.
func (c *Cluster) arguments(name string) []string {
	etcd := fmt.Sprintf("http://127.0.0.1:%d", c.ports["etcd"])
	switch name {
	case "etcd":
		peer := fmt.Sprintf("http://127.0.0.1:%d", c.ports["peer"])
		return []string{
			"--data-dir=" + c.file("etcd"), "--unsafe-no-fsync", "--listen-client-urls=" + etcd, "--advertise-client-urls=" + etcd,
			"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=default=" + peer,
			"--quota-backend-bytes=4294967296", "--log-level=warn",
		}
	case "kube-apiserver":
		return []string{
			"--etcd-servers=" + etcd, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", c.ports["api"]),
			"--cert-dir=" + c.file("certs"), "--endpoint-reconciler-type=none", "--authorization-mode=RBAC", "--token-auth-file=" + c.file("tokens.csv"),
			"--service-cluster-ip-range=10.0.0.0/24", "--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-signing-key-file=" + c.file("service-accounts.key"), "--service-account-key-file=" + c.file("service-accounts.key"),
			"--enable-priority-and-fairness=false", "--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000",
			"--disable-admission-plugins=ServiceAccount",
		}
	case "kube-scheduler":
		return []string{
			"--kubeconfig=" + c.Kubeconfig, "--authentication-kubeconfig=" + c.Kubeconfig, "--authorization-kubeconfig=" + c.Kubeconfig,
			"--leader-elect=false", "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", c.ports["scheduler"]),
			"--cert-dir=" + c.file("certs"), "--kube-api-qps=2000", "--kube-api-burst=2000",
		}
	case "kube-controller-manager":
		return []string{
			"--kubeconfig=" + c.Kubeconfig, "--authentication-kubeconfig=" + c.Kubeconfig, "--authorization-kubeconfig=" + c.Kubeconfig,
			"--leader-elect=false", "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", c.ports["manager"]),
			"--cert-dir=" + c.file("certs"), "--kube-api-qps=2000", "--kube-api-burst=2000",
			"--service-account-private-key-file=" + c.file("service-accounts.key"),
			"--use-service-account-credentials=true", // each controller is a user of its own, as kubeadm has it
			"--node-monitor-grace-period=" + monitorGrace, "--node-monitor-period=5s",
		}
	case "kwok":
		return []string{
			"--kubeconfig=" + c.Kubeconfig, "--manage-all-nodes=true", "--config=" + c.file("stages.yaml"),
			"--node-lease-duration-seconds=0", // a lease would outlive kwok, and its next start would wait for its end
		}
	}
	panic("kubetest: no program " + name)
}

// monitorGrace is long: nodes fail here because a test says so, never because the machine is busy.
const monitorGrace = "24h"
