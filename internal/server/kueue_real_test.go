package server

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

const kueueAPI = "/apis/kueue.x-k8s.io/v1beta2/"

// TestKueuesQuotasFollowTheMetalOfClustersThatDialIn writes Kueue's quotas over the line of
// an agent, with the service account of the plain manifest: what a lost node takes, they
// lose. While the line is cut they stay as they are, and then follow at once.
func TestKueuesQuotasFollowTheMetalOfClustersThatDialIn(t *testing.T) {
	c := controlPlane(t)
	c.kueue(32)
	for i := range 4 {
		c.must(http.MethodPost, "/api/v1/nodes", kubetest.Node(fmt.Sprintf("node-%d", i), "NVIDIA-H200", "a", "r1"))
	}
	s := newSeveral(t, c)
	s.start()
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share, policy.StaleAfter = 0, time.Second
	s.do(core.SetPolicy{Policy: policy})
	s.agent("tiger", "--kueue", c.account("queues", "../../deploy/kubernetes/agent-kueue.yaml"))
	s.until("the quota of the ClusterQueue is known, and all of it is backed", func(st *fleet.State) bool {
		return view.CapacityOf(st).Fleet.Healthy == 32 && st.Quota("research/oak") != nil
	})
	c.nominal(t, "oak", "32")
	c.nominal(t, "flex", "0")

	began := time.Now()
	c.down("node-0")
	c.nominal(t, "oak", "24")
	t.Logf("a node lost, and Kueue's quota is lower after %s, over the line of an agent", time.Since(began).Round(10*time.Millisecond))

	s.agents["tiger"].stop()
	s.until("its reports have stopped", func(st *fleet.State) bool { return st.Cluster("tiger").Stale })
	c.down("node-1")
	c.nominal(t, "oak", "24")
	s.agent("tiger", "--kueue", s.agents["tiger"].kubeconfig)
	c.nominal(t, "oak", "16")
	c.refuses("queues", [][2]string{
		{http.MethodPatch, "/api/v1/nodes/node-1"},
		{http.MethodPost, "/api/v1/namespaces/oak/pods/x/eviction"},
		{http.MethodDelete, kueueAPI + "clusterqueues/oak"},
		{http.MethodPatch, kueueAPI + "namespaces/oak/localqueues/oak"},
	})
}

// kueue makes Kueue's kinds of objects known, and a ClusterQueue of so many GPUs.
func (c *plane) kueue(gpus int) {
	c.t.Helper()
	files, err := kubetest.KueueCRDs(c.ctx)
	if err != nil || len(files) == 0 {
		c.t.Skipf("Kueue's module is not to be had: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			c.t.Fatal(err)
		}
		c.apply(string(data), false)
	}
	for plural, object := range map[string]kubetest.JSON{
		"resourceflavors": {"kind": "ResourceFlavor", "metadata": kubetest.JSON{"name": "fast"}, "spec": kubetest.JSON{"nodeLabels": kubetest.JSON{"nvidia.com/gpu.product": "NVIDIA-H200"}}},
		"clusterqueues": {"kind": "ClusterQueue", "metadata": kubetest.JSON{"name": "oak"}, "spec": kubetest.JSON{
			"cohortName": "research", "namespaceSelector": kubetest.JSON{}, "preemption": kubetest.JSON{"reclaimWithinCohort": "Any"},
			"resourceGroups": []kubetest.JSON{{
				"coveredResources": []string{"nvidia.com/gpu"},
				"flavors":          []kubetest.JSON{{"name": "fast", "resources": []kubetest.JSON{{"name": "nvidia.com/gpu", "nominalQuota": fmt.Sprint(gpus)}}}},
			}},
		}},
	} {
		object["apiVersion"] = "kueue.x-k8s.io/v1beta2"
		c.eventually("Kueue's kinds", func() string {
			if err := c.Call(c.ctx, http.MethodPost, kueueAPI+plural, object, nil); err != nil {
				return err.Error()
			}
			return ""
		})
	}
}

// eventually waits until nothing is missing any more.
func (c *plane) eventually(what string, missing func() string) {
	c.t.Helper()
	for end := time.Now().Add(inTime); ; time.Sleep(50 * time.Millisecond) {
		lacks := missing()
		if lacks == "" {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("after %v it is still not so: %s: %s", inTime, what, lacks)
		}
	}
}

// nominal waits until a ClusterQueue has so many GPUs of its own.
func (c *plane) nominal(t *testing.T, queue, want string) {
	t.Helper()
	c.eventually("the quota of "+queue, func() string {
		var q struct {
			Spec struct {
				ResourceGroups []struct {
					Flavors []struct {
						Resources []struct{ NominalQuota string }
					}
				}
			}
		}
		if err := c.Call(c.ctx, http.MethodGet, kueueAPI+"clusterqueues/"+queue, nil, &q); err != nil {
			return err.Error()
		}
		if is := q.Spec.ResourceGroups[0].Flavors[0].Resources[0].NominalQuota; is != want {
			return "it is " + is + ", want " + want
		}
		return ""
	})
}

// down lets a node be NotReady.
func (c *plane) down(node string) {
	c.t.Helper()
	now := time.Now().UTC().Format(time.RFC3339)
	c.must(http.MethodPatch, "/api/v1/nodes/"+node+"/status", kubetest.JSON{"status": kubetest.JSON{"conditions": []kubetest.JSON{
		{"type": "Ready", "status": "False", "reason": "Test", "message": "the test says so", "lastTransitionTime": now, "lastHeartbeatTime": now},
	}}})
}
