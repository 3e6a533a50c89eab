package translate

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// slice publishes GPUs of a model, and one device that is none.
func slice(node, pool string, generation int64, gpus, tainted int) *resourcev1.ResourceSlice {
	text := func(s string) resourcev1.DeviceAttribute { return resourcev1.DeviceAttribute{StringValue: &s} }
	s := &resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{
		Driver: "gpu.nvidia.com", NodeName: &node, Pool: resourcev1.ResourcePool{Name: pool, Generation: generation},
		Devices: []resourcev1.Device{{Name: "mig", Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"type": text("mig")}}},
	}}
	for i := range gpus {
		d := resourcev1.Device{Name: "gpu-" + string(rune('a'+i)), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"type": text("gpu"), "productName": text("NVIDIA H200")}}
		if i < tainted {
			d.Taints = []resourcev1.DeviceTaint{{Key: "xid", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
		}
		s.Spec.Devices = append(s.Spec.Devices, d)
	}
	return s
}

func TestGPUsThatSlicesPublish(t *testing.T) {
	o := Defaults("tiger")
	for _, c := range []struct {
		what   string
		labels map[string]string
		slices []*resourcev1.ResourceSlice
		gpu    string
		gpus   int
		dead   int
	}{
		{"none", nil, nil, "", 0, 0},
		{"one slice", nil, []*resourcev1.ResourceSlice{slice("n1", "n1", 1, 8, 0)}, "h200", 8, 0},
		{"two slices of a pool", nil, []*resourcev1.ResourceSlice{slice("n1", "n1", 2, 4, 1), slice("n1", "n1", 2, 4, 0)}, "h200", 8, 1},
		{"an older one besides", nil, []*resourcev1.ResourceSlice{slice("n1", "n1", 1, 8, 0), slice("n1", "n1", 2, 4, 0)}, "h200-4x", 4, 0},
		{"of another node", nil, []*resourcev1.ResourceSlice{slice("n2", "n2", 1, 8, 0)}, "", 0, 0},
		{"its label names the model", map[string]string{"muster.dev/gpu": "b300"}, []*resourcev1.ResourceSlice{slice("n1", "n1", 1, 8, 0)}, "b300", 8, 0},
		{"more than a node has", nil, []*resourcev1.ResourceSlice{slice("n1", "n1", 1, 65, 0)}, "", 0, 0},
	} {
		n := node(c.labels)
		n.Status.Capacity, n.Status.Allocatable = nil, nil
		nodes := []Node{NodeOf(n, &o)}
		var published []Slice
		for _, s := range c.slices {
			if p, ok := SliceOf(s, &o); ok {
				published = append(published, p)
			}
		}
		Publish(nodes, published, &o)
		if got := nodes[0]; got.GPU != c.gpu || got.GPUs != c.gpus || got.Dead != c.dead {
			t.Errorf("%s: %d of %q, %d dead; want %d of %q, %d dead", c.what, got.GPUs, got.GPU, got.Dead, c.gpus, c.gpu, c.dead)
		}
	}
	other := slice("n1", "n1", 1, 8, 0)
	other.Spec.Driver = "nic.example.com"
	if _, ok := SliceOf(other, &o); ok {
		t.Error("a slice of network cards was taken for GPUs")
	}
}

func TestANodeThatOffersAResourceIsNotCountedTwice(t *testing.T) {
	o := Defaults("tiger")
	nodes := []Node{NodeOf(node(map[string]string{"nvidia.com/gpu.product": "NVIDIA-H100"}), &o)}
	s, _ := SliceOf(slice("n1", "n1", 1, 8, 8), &o)
	Publish(nodes, []Slice{s}, &o)
	if n := nodes[0]; n.GPUs != 8 || n.GPU != "h100" || n.Dead != 0 {
		t.Errorf("%+v", n)
	}
}

func exactly(class string, count int64) resourcev1.DeviceRequest {
	return resourcev1.DeviceRequest{Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: class, Count: count, AllocationMode: resourcev1.DeviceAllocationModeExactCount}}
}

func claim(requests ...resourcev1.DeviceRequest) resourcev1.ResourceClaimSpec {
	return resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: requests}}
}

func TestWhatClaimsAskFor(t *testing.T) {
	o, yes := Defaults("tiger"), true
	classes := ClassesOf([]*resourcev1.DeviceClass{
		{ObjectMeta: metav1.ObjectMeta{Name: "big"}, Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "gpu.nvidia.com" && true`}}}}},
		{ObjectMeta: metav1.ObjectMeta{Name: "nic"}, Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "nic.example.com"`}}}}},
	}, &o)
	looks, all := exactly("big", 8), exactly("big", 0)
	looks.Exactly.AdminAccess, all.Exactly.AllocationMode = &yes, resourcev1.DeviceAllocationModeAll
	either := resourcev1.DeviceRequest{FirstAvailable: []resourcev1.DeviceSubRequest{{DeviceClassName: "big", Count: 2}, {DeviceClassName: "gpu.nvidia.com", Count: 4}}}
	for _, c := range []struct {
		what string
		spec resourcev1.ResourceClaimSpec
		want Claim
	}{
		{"two", claim(exactly("gpu.nvidia.com", 2)), Claim{GPUs: 2}},
		{"by a class of its own, with a card", claim(exactly("big", 3), exactly("nic", 8)), Claim{GPUs: 3}},
		{"no number", claim(exactly("big", 0)), Claim{GPUs: 1}},
		{"to look on", claim(looks), Claim{}},
		{"all", claim(all), Claim{All: true}},
		{"either", claim(either), Claim{GPUs: 4}},
		{"more than there can be", claim(exactly("big", 1<<60), exactly("big", 1<<60)), Claim{GPUs: mostGPUs + 1}},
	} {
		if got := TemplateOf(&resourcev1.ResourceClaimTemplate{Spec: resourcev1.ResourceClaimTemplateSpec{Spec: c.spec}}, classes); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
	given := &resourcev1.ResourceClaim{Spec: claim(all), Status: resourcev1.ResourceClaimStatus{Allocation: &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{{Driver: "gpu.nvidia.com"}, {Driver: "gpu.nvidia.com"}, {Driver: "nic.example.com"}},
	}}}}
	if got := ClaimOf(given, classes, &o); got.GPUs != 2 || got.All {
		t.Errorf("of what it was given: %+v, want 2", got)
	}
}

// TestPodsHoldWhatTheirClaimsAskFor counts a claim that two pods share once.
func TestPodsHoldWhatTheirClaimsAskFor(t *testing.T) {
	o := Defaults("tiger")
	with := func(name string, claims ...corev1.PodResourceClaim) Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "oak", UID: "u-" + "x"}, Spec: corev1.PodSpec{ResourceClaims: claims}}
		out, ok := PodOf(p, &o)
		if !ok || out.Wishes.Priority != fleet.Mid {
			t.Fatalf("%s is read as %t %+v", name, ok, out)
		}
		return out
	}
	text := func(s string) *string { return &s }
	own := corev1.PodResourceClaim{Name: "a", ResourceClaimTemplateName: text("four")}
	shared := corev1.PodResourceClaim{Name: "b", ResourceClaimName: text("shared")}
	cards := corev1.PodResourceClaim{Name: "c", ResourceClaimName: text("cards")}
	pods := Claimed([]Pod{with("a", own, cards), with("b", shared), with("c", shared, own), with("d", cards)},
		map[string]Claim{"oak/shared": {GPUs: 2}, "oak/cards": {}}, map[string]Claim{"oak/four": {GPUs: 4}})
	got := map[string]int{}
	for _, p := range pods {
		got[p.Name] = p.GPUs
	}
	if len(got) != 3 || got["a"] != 4 || got["b"] != 2 || got["c"] != 4 {
		t.Errorf("pods hold %v", got)
	}
}
