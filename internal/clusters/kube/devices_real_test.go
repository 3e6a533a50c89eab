package kube

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestDevicesOfSlicesAreGPUs makes nodes that offer no GPU resource, and the slices
// that a driver publishes for them. A pod that claims devices by a template holds
// what kube-scheduler has given it, and a Job of such pods is started by Muster.
func TestDevicesOfSlicesAreGPUs(t *testing.T) {
	w := managing(t, 1, 1, map[string]int{"oak": 8})
	const api = "/apis/resource.k8s.io/v1/"
	for _, kind := range []string{"resourceslices", "deviceclasses", "namespaces/oak/resourceclaimtemplates"} {
		_ = w.c.Call(w.ctx, http.MethodDelete, api+kind, nil, nil)
	}
	t.Cleanup(func() { // it may be run again on the same control plane
		for _, kind := range []string{"resourceslices", "deviceclasses", "namespaces/oak/resourceclaimtemplates"} {
			_ = w.c.Call(w.ctx, http.MethodDelete, api+kind, nil, nil)
		}
	})
	w.call(http.MethodPost, api+"deviceclasses", kubetest.JSON{
		"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": kubetest.JSON{"name": "any-gpu"},
		"spec": kubetest.JSON{"selectors": []kubetest.JSON{{"cel": kubetest.JSON{"expression": `device.driver == "gpu.nvidia.com"`}}}},
	}, nil)
	for i := range 2 {
		name := fmt.Sprintf("dra-%d", i)
		n := kubetest.Node(name, "", "i9", "r9")
		delete(n["metadata"].(kubetest.JSON)["labels"].(kubetest.JSON), "nvidia.com/gpu.product")
		for _, amounts := range []string{"capacity", "allocatable"} {
			delete(n["status"].(kubetest.JSON)[amounts].(kubetest.JSON), "nvidia.com/gpu")
		}
		w.call(http.MethodPost, "/api/v1/nodes", n, nil)
		var devices []kubetest.JSON
		for d := range 8 {
			devices = append(devices, kubetest.JSON{"name": fmt.Sprintf("gpu-%d", d), "attributes": kubetest.JSON{
				"type": kubetest.JSON{"string": "gpu"}, "productName": kubetest.JSON{"string": "NVIDIA B300"},
			}})
		}
		w.call(http.MethodPost, api+"resourceslices", kubetest.JSON{
			"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": kubetest.JSON{"name": name},
			"spec": kubetest.JSON{
				"driver": "gpu.nvidia.com", "nodeName": name, "devices": devices,
				"pool": kubetest.JSON{"name": name, "generation": 1, "resourceSliceCount": 1},
			},
		}, nil)
	}
	w.eventually(time.Minute, "the nodes whose GPUs are published", func() (missing string) {
		w.read(func(s *fleet.State) {
			if p := s.Partition("tiger/b300"); p == nil || p.Tally().Installed != 16 || p.Tally().Healthy != 16 {
				missing = fmt.Sprintf("tiger/b300 is %+v", p)
			}
		})
		return missing
	})
	w.call(http.MethodPost, api+"namespaces/oak/resourceclaimtemplates", kubetest.JSON{
		"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": kubetest.JSON{"name": "four", "namespace": "oak"},
		"spec": kubetest.JSON{"spec": kubetest.JSON{"devices": kubetest.JSON{"requests": []kubetest.JSON{
			{"name": "gpus", "exactly": kubetest.JSON{"deviceClassName": "any-gpu", "count": 4}},
		}}}},
	}, nil)
	j := job("oak", "claims", 3, "flex", "muster.dev/partition", "tiger/b300")
	spec := j["spec"].(kubetest.JSON)["template"].(kubetest.JSON)["spec"].(kubetest.JSON)
	spec["containers"].([]kubetest.JSON)[0]["resources"] = kubetest.JSON{"claims": []kubetest.JSON{{"name": "gpus"}}}
	spec["resourceClaims"] = []kubetest.JSON{{"name": "gpus", "resourceClaimTemplateName": "four"}}
	w.job(j)
	w.eventually(time.Minute, "three pods of four devices", w.runs("oak", 3))
	w.eventually(time.Minute, "what they hold", func() (missing string) {
		w.read(func(s *fleet.State) {
			if f := view.CapacityOf(s).Fleet; f.FlexUsed != 12 {
				missing = fmt.Sprintf("%d GPUs of flex are used, want 12", f.FlexUsed)
			}
		})
		return missing
	})
	w.sound()
}
