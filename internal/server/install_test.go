package server

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const deploy = "../../deploy"

// TestThePlainManifestsAreThoseOfTheChart compares the files of the chart, and the
// plain manifests, with those from which and into which make manifests has made them.
func TestThePlainManifestsAreThoseOfTheChart(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(deploy, "kubernetes", "chart.sha256"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(data)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want[name] = sum
	}
	names := []string{"kubernetes/server.yaml", "kubernetes/agent-observe.yaml", "kubernetes/agent-manage.yaml", "kubernetes/agent-kueue.yaml", "kubernetes/visit-jobs.yaml", "kubernetes/webhook.yaml"}
	err = filepath.WalkDir(filepath.Join(deploy, "helm"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			name, _ := filepath.Rel(deploy, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(deploy, name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want[name] {
			t.Errorf("deploy/%s is not what make manifests has seen; run it", name)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("deploy/%s is gone; run make manifests", name)
	}
}

// valueSets are the values with which the chart is tried.
var valueSets = map[string]struct {
	values  []string
	objects int      // how many are made at least
	has     []string // what must be in them
	hasNot  []string
}{
	"as it is": {
		nil, 12,
		[]string{"--observe", "readOnlyRootFilesystem: true", "name: muster-observe", `service: "muster/https:muster:6878"`, `resourceNames: ["https:muster:6878"]`, "--tls-cert=self", "scheme: HTTPS"},
		[]string{"name: muster-manage", "MutatingAdmissionPolicy"},
	},
	"an agent that manages": {
		[]string{"server.enabled=false", "agent.server=muster.example.org:6879", "agent.mode=manage", "agent.cluster=tiger", "agent.admission.failurePolicy=Ignore", "agent.priorityClassName=system-cluster-critical"},
		15,
		[]string{
			"--manage", "--name=tiger", "--server=muster.example.org:6879", "name: muster-manage", "failurePolicy: Ignore", "kind: MutatingAdmissionPolicy\n", "kind: PriorityClass",
			"name: muster-maintenance\n", "name: muster-maintenance-pods\n", "name: muster-marks\n",
			"name: muster-templates\n", "name: muster-bind\n", "'direct' == 'direct'",
		},
		[]string{"kind: StatefulSet", "muster-refuse-unmanaged", "MutatingWebhookConfiguration", "--fence-after", "--prometheus", "muster-visit-jobs", "podtemplates"},
	},
	"an agent that manages, fences, measures, and refuses what is not Muster's": {
		[]string{
			"server.enabled=false", "agent.server=muster.example.org:6879", "agent.mode=manage", "agent.fenceAfter=10m", "agent.prometheus=http://prometheus.monitoring:9090",
			"agent.refuseUnmanaged.enabled=true", "agent.marks.enabled=false", "networkPolicy.agentTo[0].ports[0].port=9090",
		},
		13,
		[]string{"--fence-after=10m", "--prometheus=http://prometheus.monitoring:9090", "name: muster-refuse-unmanaged", "port: 9090"},
		[]string{"name: muster-maintenance"},
	},
	"an agent that watches and knows the authors": {
		[]string{"server.enabled=false", "agent.server=muster.example.org:6879", "agent.author.enabled=true"},
		11,
		[]string{"name: muster-author\n", "name: muster-author-write\n", "name: muster-muster-author\n", `resources: ["jobs", "cronjobs"], verbs: ["get"]`},
		[]string{"name: muster-manage"},
	},
	"an agent that manages and leaves binding to kube-scheduler": {
		[]string{"server.enabled=false", "agent.server=muster.example.org:6879", "agent.mode=manage", "agent.bind=scheduler"},
		15,
		[]string{"'scheduler' == 'direct'", "name: muster-manage"},
		[]string{"name: muster-bind", "pods/binding\"], verbs: [\"create\"]", "'direct' == 'direct'"},
	},
	"an agent that carries out visits by Jobs": {
		[]string{"server.enabled=false", "agent.server=muster.example.org:6879", "agent.mode=manage", "agent.visitJobs.enabled=true"},
		18,
		[]string{"kind: Namespace", "name: muster-visit-jobs\n  namespace: muster-maintenance\n", `resources: ["podtemplates"], verbs: ["get"]`, `resources: ["jobs"], verbs: ["get", "create"]`},
		nil,
	},
	"an agent that carries out visits by Jobs in a namespace that is there": {
		[]string{"server.enabled=false", "agent.server=muster.example.org:6879", "agent.mode=manage", "agent.visitJobs.enabled=true", "agent.visitJobs.createNamespace=false"},
		17,
		[]string{"name: muster-visit-jobs\n  namespace: muster-maintenance\n"},
		[]string{"kind: Namespace\n"},
	},
	"an agent that manages an older cluster": {
		[]string{
			"kube=1.34.0", "server.enabled=false", "agent.server=muster.example.org:6879", "agent.mode=manage", "agent.admission.by=webhook",
			"agent.admission.webhook.tlsSecret=webhook-tls", "agent.admission.webhook.caBundle=LS0tLS1CRUdJTg==",
		},
		18,
		[]string{"kind: MutatingWebhookConfiguration", "caBundle: LS0tLS1CRUdJTg==", "kind: PriorityClass", "name: muster-marks\n", "secretName: webhook-tls", "- webhook\n"},
		[]string{"kind: MutatingAdmissionPolicy"},
	},
	"an agent for Kueue": {
		[]string{"server.enabled=false", "agent.server=muster.example.org:16879", "agent.mode=kueue", "networkPolicy.enabled=false", "podDisruptionBudget.enabled=false"},
		5,
		[]string{"--kueue", "name: muster-kueue"},
		[]string{"name: muster-manage", "NetworkPolicy", "PodDisruptionBudget"},
	},
	"a server that reaches clusters itself": {
		[]string{
			"agent.enabled=false", "server.agents.tlsSecret=agents-tls", "server.agents.clusters={tiger,lion}", "server.clusters[0].name=lion", "server.clusters[0].kubeconfigSecret=lion-kubeconfig",
			"server.clusters[0].mode=observe", "imagePullSecrets[0]=pull", "server.agents.service.type=LoadBalancer", "server.storage.className=fast",
			"image.digest=sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "networkPolicy.agentsFrom[0].ipBlock.cidr=10.0.0.0/8",
		},
		7,
		[]string{"--clusters=", "--agents-tls=", "--agents-allow=tiger,lion", "cidr: 10.0.0.0/8", "muster@sha256:"},
		[]string{"kind: Deployment", "ClusterRole"},
	},
	"a server behind a proxy": {
		[]string{"server.tls.by=proxy"},
		12,
		[]string{"--behind-proxy", `service: "muster/muster:6878"`, `resourceNames: ["http:muster:6878"]`, "scheme: HTTP}"},
		[]string{"--tls-cert", "scheme: HTTPS", "--trusted-proxies"},
	},
	"a server behind proxies that are named": {
		[]string{"server.tls.by=proxy", "server.tls.trustedProxies={10.0.0.7,10.244.0.0/16}"},
		12,
		[]string{"            - --behind-proxy\n            - --trusted-proxies=10.0.0.7,10.244.0.0/16\n"},
		[]string{"--tls-cert"},
	},
	"a server with the certificate of a Secret": {
		[]string{"server.tls.by=secret", "server.tls.secret=api-tls"},
		12,
		[]string{"secretName: api-tls", "--tls-cert=/etc/muster/tls/tls.crt", "--tls-key="},
		[]string{"kind: Certificate"},
	},
	"a server with a certificate of cert-manager": {
		[]string{"server.tls.by=certManager", "server.tls.certManager.issuer=house", "server.tls.certManager.dnsNames[0]=muster.example.org"},
		13,
		[]string{"kind: Certificate", "- muster.example.org", "name: house, kind: Issuer", "secretName: muster-tls"},
		[]string{"--tls-cert=self"},
	},
	"several servers on one database": {
		[]string{
			"server.replicas=2", "server.journal.dsnSecret=muster-db-app", "server.tls.by=certManager", "server.tls.certManager.issuer=house",
			"server.agents.tlsSecret=agents-tls", "server.agents.clusters={cluster}", "networkPolicy.apiFrom[0].ipBlock.cidr=10.0.0.0/8",
		},
		14,
		[]string{
			"replicas: 2\n  serviceName: muster-servers\n", "podManagementPolicy: Parallel", "clusterIP: None", "publishNotReadyAddresses: true", "name: muster-db-app, key: uri",
			"--advertise=$(POD_NAME).muster-servers.muster.svc:6878", "requiredDuringSchedulingIgnoredDuringExecution", "maxUnavailable: 1", `"*.muster-servers.muster.svc"`,
			"--server=muster-server-0.muster-servers.muster.svc:6879,muster-server-1.muster-servers.muster.svc:6879", "port: 5432",
		},
		[]string{"maxUnavailable: 0", "MUSTER_JOURNAL=", "--journal", "--retain", "--most-waiting"},
	},
	"the example of several servers": {
		[]string{"file=../../examples/several-servers/values.yaml"},
		14,
		[]string{"name: muster-db-app, key: uri", "replicas: 2\n  serviceName: muster-servers\n", "--agents-allow=cluster"},
		[]string{"maxUnavailable: 0"},
	},
	"people who sign in at a provider": {
		[]string{
			"server.tokensSecret=", "server.oidc.issuer=https://id.example.org", "server.oidc.clientID=muster", "server.oidc.clientSecret=muster-oidc", "server.oidc.caSecret=muster-oidc-ca", "server.oidc.url=https://muster.example.org",
			"server.sessions.keySecret=muster-session", "server.sessions.lasts=8h",
		},
		12,
		[]string{
			"--oidc-issuer=https://id.example.org", "--oidc-client-id=muster", "--oidc-username-claim=email", "--oidc-groups-claim=groups", "--oidc-client-secret=/etc/muster/oidc/client-secret", "--oidc-ca=/etc/muster/oidc-ca/ca.crt",
			"--url=https://muster.example.org", "--session-key=/etc/muster/session/session.key", "--session-idle=2h", "--session-lasts=8h", "--session-confirm=8s",
			"secretName: muster-oidc", "secretName: muster-oidc-ca", "secretName: muster-session", "where people sign in.",
		},
		[]string{"--tokens", "/etc/muster/tokens", "tokenreviews"},
	},
	"workloads that show tokens of their service accounts": {
		[]string{"agent.enabled=false", "server.tokenReview.inCluster=tiger", "server.tokenReview.clusters[0].name=lion", "server.tokenReview.clusters[0].kubeconfigSecret=lion-reviews"},
		8,
		[]string{
			"--token-review=tiger=in-cluster", "--token-review=lion=/etc/muster/reviews/lion/kubeconfig", "secretName: lion-reviews", "resources: [tokenreviews], verbs: [create]",
			"automountServiceAccountToken: true", "name: muster-muster-tokenreview", "port: 6443",
		},
		[]string{"--oidc", "--session"},
	},
	"one server with its journal in a database": {
		[]string{"server.journal.dsnSecret=db", "server.journal.dsnKey=dsn", "server.journal.port=6432", "server.retain=90d", "server.mostWaiting=1000000", "agent.enabled=false"},
		6,
		[]string{"replicas: 1\n  serviceName: muster\n", "name: db, key: dsn", "port: 6432", "maxUnavailable: 0", "            - --retain=90d\n", "            - --most-waiting=1000000\n"},
		[]string{"POD_NAME", "--advertise", "clusterIP: None"},
	},
	"a server that reaches a cluster itself and fences there": {
		[]string{
			"agent.enabled=false", "server.clusters[0].name=lion", "server.clusters[0].kubeconfigSecret=lion-kubeconfig", "server.clusters[0].mode=manage",
			"server.clusters[0].fenceAfter=10m", "server.clusters[0].prometheus=https://prometheus.lion",
		},
		7,
		[]string{`fenceAfter: "10m", prometheus: "https://prometheus.lion"`},
		[]string{"kind: Deployment"},
	},
}

// helm is the program that make helm has built.
func helm(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../bin/tools/helm")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skip("make helm builds it, which takes minutes")
	}
	return path
}

func render(t *testing.T, helm string, values []string) string {
	t.Helper()
	args := []string{"template", "muster", filepath.Join(deploy, "helm", "muster"), "--namespace", "muster", "--kube-version", "1.36.0"}
	for _, v := range values {
		if version, is := strings.CutPrefix(v, "kube="); is {
			args = append(args, "--kube-version", version) // the last one counts
			continue
		}
		if file, is := strings.CutPrefix(v, "file="); is {
			args = append(args, "--values", file)
			continue
		}
		args = append(args, "--set", v)
	}
	out, err := exec.Command(helm, args...).Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			t.Fatalf("%v: %s", values, failed.Stderr)
		}
		t.Fatal(err)
	}
	return string(out)
}

// TestTheChartSaysWhatItsValuesSay renders the chart with several sets of values.
func TestTheChartSaysWhatItsValuesSay(t *testing.T) {
	helm := helm(t)
	for name, set := range valueSets {
		text := render(t, helm, set.values)
		for _, part := range set.has {
			if !strings.Contains(text, part) {
				t.Errorf("%s: it lacks %q", name, part)
			}
		}
		for _, part := range set.hasNot {
			if strings.Contains(text, part) {
				t.Errorf("%s: it has %q", name, part)
			}
		}
	}
}

// TestTheChartIsTakenByAnAPIServer renders the chart with several sets of values, and
// has a real API server look at all objects, strictly, without making them.
func TestTheChartIsTakenByAnAPIServer(t *testing.T) {
	c, helm := controlPlane(t), helm(t)
	c.must("POST", "/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{
		"name": "muster", "labels": map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}})
	for name, set := range valueSets {
		text := render(t, helm, set.values)
		if n := c.apply(text, true); n < set.objects {
			t.Errorf("%s: %d objects are made", name, n)
		}
		c.restricted(name, text)
	}
}

// TestTheChartRefusesWrongValues says what is wrong instead of making half of it.
func TestTheChartRefusesWrongValues(t *testing.T) {
	helm := helm(t)
	for _, wrong := range [][]string{
		{"server.enabled=false"},
		{"agent.mode=everything"},
		{"server.enabled=false", "agent.enabled=false"},
		{"server.clusters[0].name=lion"},
		{"agent.mode=manage", "agent.admission.by=hope"},
		{"agent.mode=manage", "agent.admission.by=webhook"},
		{"agent.fenceAfter=10m"},
		{"agent.visitJobs.enabled=true"},
		{"server.replicas=2"},
		{"server.replicas=2", "server.journal.dsnSecret=db"},
		{"server.replicas=2", "server.journal.dsnSecret=db", "server.tls.by=proxy"},
		{"server.tls.by=hope"},
		{"server.tls.by=secret"},
		{"server.tls.trustedProxies[0]=10.0.0.7"},
		{"server.tls.by=certManager"},
		{"server.agents.tlsSecret=agents-tls"},
		{"server.tokensSecret="},
		{"server.oidc.issuer=https://id.example.org"},
		{"server.oidc.clientID=muster"},
		{"server.tokenReview.clusters[0].name=lion"},
		{"server.mostWaiting=-1"},
		{"server.mostWaiting=many"},
		{"server.replicas=2", "server.journal.dsnSecret=db", "server.tls.by=proxy", "server.agents.enabled=false", "agent.enabled=false", "server.oidc.issuer=https://id.example.org", "server.oidc.clientID=muster"},
		{"agent.mode=manage", "agent.admission.by=webhook", "agent.admission.webhook.tlsSecret=x"},
		{"agent.mode=manage", "agent.admission.failurePolicy=Maybe"},
	} {
		args := []string{"template", "muster", filepath.Join(deploy, "helm", "muster"), "--kube-version", "1.36.0", "--set", strings.Join(wrong, ",")}
		if out, err := exec.Command(helm, args...).CombinedOutput(); err == nil {
			t.Errorf("%v is taken", wrong)
		} else if !strings.Contains(string(out), "enable server") && !strings.Contains(string(out), "agent.") && !strings.Contains(string(out), "server.clusters") &&
			!strings.Contains(string(out), "server.replicas") && !strings.Contains(string(out), "server.tls") && !strings.Contains(string(out), "server.agents") &&
			!strings.Contains(string(out), "server.tokens") && !strings.Contains(string(out), "server.mostWaiting") && !strings.Contains(string(out), "server.tokenReview") && !strings.Contains(string(out), "server.oidc") && !strings.Contains(string(out), "server.sessions") {
			t.Errorf("%v: what is wrong is not said: %s", wrong, out)
		}
	}
}

// TestThePlainManifestsAreTakenByAnAPIServer has a real API server look at them.
func TestThePlainManifestsAreTakenByAnAPIServer(t *testing.T) {
	c := controlPlane(t)
	c.must("POST", "/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "muster"}})
	files, err := filepath.Glob(filepath.Join(deploy, "kubernetes", "*.yaml"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if c.apply(string(data), true) == 0 {
			t.Errorf("%s has no object", file)
		}
	}
}
