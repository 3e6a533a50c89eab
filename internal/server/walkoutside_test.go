package server

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	azfake "github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8/fake"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// azureCloud is a cloud with one size of machine: what it grants, and its machines once a scale set
// is applied.
type azureCloud struct {
	limit atomic.Int64
	only  atomic.Int64 // the status of every answer over the wire; 0: as they come
}

// grant lets each meter have so many cores.
func (a *azureCloud) grant(cores int64) { a.limit.Store(cores) }

// standIns are the SDK's own fakes of its usage and its sizes, and an address of Buildkite.
func (a *azureCloud) standIns(buildkite string) standIns {
	usage := fake.UsageServer{NewListPager: func(string, *armcompute.UsageClientListOptions) (p azfake.PagerResponder[armcompute.UsageClientListResponse]) {
		for _, meter := range []string{"standardNDSH200v5Family", "cores"} { // each on a page of its own
			u := &armcompute.Usage{Name: &armcompute.UsageName{Value: to.Ptr(meter)}, Limit: to.Ptr(a.limit.Load()), CurrentValue: to.Ptr(int32(0)), Unit: to.Ptr("Count")}
			p.AddPage(http.StatusOK, armcompute.UsageClientListResponse{ListUsagesResult: armcompute.ListUsagesResult{Value: []*armcompute.Usage{u}}}, nil)
		}
		return p
	}}
	sizes := fake.ResourceSKUsServer{NewListPager: func(*armcompute.ResourceSKUsClientListOptions) (p azfake.PagerResponder[armcompute.ResourceSKUsClientListResponse]) {
		p.AddPage(http.StatusOK, armcompute.ResourceSKUsClientListResponse{ResourceSKUsResult: armcompute.ResourceSKUsResult{Value: []*armcompute.ResourceSKU{{
			Name: to.Ptr("Standard_ND96isr_H200_v5"), Family: to.Ptr("standardNDSH200v5Family"), ResourceType: to.Ptr("virtualMachines"), Locations: to.SliceOfPtrs("eastus"),
			Capabilities: []*armcompute.ResourceSKUCapabilities{{Name: to.Ptr("vCPUs"), Value: to.Ptr("96")}},
			LocationInfo: []*armcompute.ResourceSKULocationInfo{{Location: to.Ptr("eastus"), Zones: to.SliceOfPtrs("1")}},
		}}}}, nil)
		return p
	}}
	return standIns{
		buildkite: buildkite, who: &azfake.TokenCredential{},
		azure: fake.NewServerFactoryTransport(&fake.ServerFactory{UsageServer: usage, ResourceSKUsServer: sizes}),
	}
}

// serve answers over the wire as standIns do, for a server that is a process of its own.
func (a *azureCloud) serve(t *testing.T) (address string) {
	t.Helper()
	azure := a.standIns("").azure
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := a.only.Load(); status != 0 {
			w.WriteHeader(int(status))
			return
		}
		of := "UsageClient.NewListPager" // the SDK's fakes want to be told what is called
		if strings.HasSuffix(r.URL.Path, "/skus") {
			of = "ResourceSKUsClient.NewListPager"
		}
		asked := r.Clone(context.WithValue(r.Context(), runtime.CtxAPINameKey{}, of))
		asked.URL.Scheme, asked.URL.Host, asked.RequestURI = "https", "management.azure.com", ""
		answer, err := azure.Do(asked)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		defer answer.Body.Close()
		maps.Copy(w.Header(), answer.Header)
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// azureEnv is the address of Azure's stand-in, for a server that is a process of its own.
const azureEnv = "MUSTER_TEST_AZURE"

// azureAt carries calls to Azure to an address.
type azureAt string

// Do makes a call.
func (a azureAt) Do(r *http.Request) (*http.Response, error) {
	to := r.Clone(r.Context())
	to.URL.Scheme, to.URL.Host, to.Host = "http", string(a), ""
	return http.DefaultClient.Do(to)
}

const setsPath = "/apis/compute.azure.com/v1api20220301/namespaces/clusters/virtualmachinescalesets"

// scaleSet is one as the API server shows it.
type scaleSet struct {
	Metadata struct {
		Name, ResourceVersion string
		Generation            int64
		Annotations           map[string]string
	}
	Spec   struct{ Sku struct{ Capacity int } }
	Status struct{ Conditions []kubetest.JSON }
}

// operate plays the operator and the cloud until ctx ends: what is applied becomes ready, and its
// machines join the cluster that it is of.
func (a *azureCloud) operate(ctx context.Context, at *plane, clusters map[string]*plane) {
	for tick := time.NewTicker(time.Second); ; {
		var list struct{ Items []scaleSet }
		if at.Call(ctx, http.MethodGet, setsPath, nil, &list) == nil {
			for _, s := range list.Items {
				if len(s.Status.Conditions) == 0 {
					s.boot(ctx, at, clusters[s.Metadata.Annotations["muster.dev/cluster"]])
				}
			}
		}
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
	}
}

// boot lets the machines of a scale set join, and says that it is ready. What fails is done anew.
func (s *scaleSet) boot(ctx context.Context, at, cluster *plane) {
	island := s.Metadata.Annotations["muster.dev/island"]
	for i := range s.Spec.Sku.Capacity {
		node := kubetest.Node(island+"-"+string(rune('0'+i)), "NVIDIA-H200", island, "r1")
		_ = cluster.Call(ctx, http.MethodPost, "/api/v1/nodes", node, nil)
	}
	_ = at.Call(ctx, http.MethodPut, setsPath+"/"+s.Metadata.Name+"/status", kubetest.JSON{
		"apiVersion": "compute.azure.com/v1api20220301", "kind": "VirtualMachineScaleSet",
		"metadata": kubetest.JSON{"name": s.Metadata.Name, "namespace": "clusters", "resourceVersion": s.Metadata.ResourceVersion},
		"status": kubetest.JSON{"conditions": []kubetest.JSON{{
			"type": "Ready", "status": "True", "severity": "", "reason": "Succeeded", "message": "", "observedGeneration": s.Metadata.Generation, "lastTransitionTime": "2026-11-23T10:00:00Z",
		}}},
	}, nil)
}

// sets counts the scale sets.
func (c *plane) sets() int {
	c.t.Helper()
	var list struct{ Items []scaleSet }
	if err := c.Call(c.ctx, http.MethodGet, setsPath, nil, &list); err != nil {
		c.t.Fatal(err)
	}
	return len(list.Items)
}

// knowScaleSets lets an API server know the operator's kind.
func (c *plane) knowScaleSets() {
	c.t.Helper()
	c.must(http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kubetest.JSON{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": kubetest.JSON{"name": "virtualmachinescalesets.compute.azure.com"},
		"spec": kubetest.JSON{
			"group": "compute.azure.com", "scope": "Namespaced",
			"names": kubetest.JSON{"plural": "virtualmachinescalesets", "singular": "virtualmachinescaleset", "kind": "VirtualMachineScaleSet", "listKind": "VirtualMachineScaleSetList"},
			"versions": []kubetest.JSON{{
				"name": "v1api20220301", "served": true, "storage": true, "subresources": kubetest.JSON{"status": kubetest.JSON{}},
				"schema": kubetest.JSON{"openAPIV3Schema": kubetest.JSON{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	})
	c.must(http.MethodPost, "/api/v1/namespaces", kubetest.Namespace("clusters"))
}

// prepare makes what the people of a cluster make: how nodes are validated, and a service.
func (c *plane) prepare() {
	c.t.Helper()
	c.must(http.MethodPost, "/api/v1/namespaces", kubetest.Namespace("muster-validation"))
	pod := kubetest.JSON{
		"metadata": kubetest.JSON{"annotations": kubetest.JSON{"test.muster.dev/succeeds": "true"}},
		"spec":     kubetest.JSON{"restartPolicy": "Never", "containers": []kubetest.JSON{{"name": "validate", "image": "none"}}},
	}
	for _, blueprint := range []string{"nd", "nd-tofu"} {
		c.must(http.MethodPost, "/api/v1/namespaces/muster-validation/podtemplates", kubetest.JSON{
			"apiVersion": "v1", "kind": "PodTemplate", "metadata": kubetest.JSON{"name": blueprint}, "template": pod,
		})
	}
	dns := kubetest.JSON{"app": "dns"}
	c.must(http.MethodPost, "/apis/apps/v1/namespaces/kube-system/deployments", kubetest.JSON{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": kubetest.JSON{"name": "dns"},
		"spec": kubetest.JSON{
			"replicas": 1, "selector": kubetest.JSON{"matchLabels": dns},
			"template": kubetest.JSON{"metadata": kubetest.JSON{"labels": dns}, "spec": kubetest.JSON{"containers": []kubetest.JSON{{"name": "dns", "image": "none"}}}},
		},
	})
}

// agentOfBuilt installs the agent with the rights that the plain manifests give it, and gives its
// kubeconfig.
func (c *plane) agentOfBuilt() string {
	c.t.Helper()
	file := c.account("muster", "../../deploy/kubernetes/agent-manage.yaml")
	c.applyFile("../../deploy/kubernetes/buildout.yaml")
	return file
}

// gangOf makes pods that wait for Muster, each of a whole node, in a namespace with a quota.
func (c *plane) gangOf(namespace, name string, pods int) {
	c.t.Helper()
	c.must(http.MethodPost, "/api/v1/namespaces", kubetest.Namespace(namespace))
	for i := range pods {
		p := kubetest.Pod(namespace, name+"-"+string(rune('0'+i)), 8)
		meta := p["metadata"].(kubetest.JSON)
		meta["labels"] = kubetest.JSON{"muster.dev/target": namespace, "muster.dev/workload": name}
		meta["annotations"] = kubetest.JSON{"muster.dev/replicas": string(rune('0' + pods))}
		p["spec"].(kubetest.JSON)["schedulingGates"] = []kubetest.JSON{{"name": "muster.dev/admission"}}
		c.must(http.MethodPost, "/api/v1/namespaces/"+namespace+"/pods", p)
	}
}
