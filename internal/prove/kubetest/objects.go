package kubetest

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
)

// JSON is an object, or a part of one.
type JSON = plain.Object

// Node is a node object of 8 GPUs of a product in an island and a rack.
func Node(name, product, island, rack string) JSON {
	amounts := JSON{"cpu": "192", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": "8"}
	return JSON{
		"apiVersion": "v1", "kind": "Node",
		"metadata": JSON{"name": name, "labels": JSON{
			"nvidia.com/gpu.product": product, "nvidia.com/gpu.clique": island, "network.topology.nvidia.com/leaf": rack,
			"kubernetes.io/hostname": name,
		}},
		"status": JSON{"capacity": amounts, "allocatable": amounts},
	}
}

// Pod is a pod that asks for GPUs. It tolerates what keeps pods of this test off nodes.
func Pod(namespace, name string, gpus int) JSON {
	return JSON{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": JSON{"name": name, "namespace": namespace, "labels": JSON{}, "annotations": JSON{}},
		"spec":     PodSpec(gpus),
	}
}

// PodSpec is the spec of a pod that asks for GPUs.
func PodSpec(gpus int) JSON {
	return JSON{
		"terminationGracePeriodSeconds": 30,
		"containers": []JSON{{
			"name": "main", "image": "none",
			"resources": JSON{"limits": JSON{"nvidia.com/gpu": fmt.Sprint(gpus)}, "requests": JSON{"nvidia.com/gpu": fmt.Sprint(gpus)}},
		}},
	}
}

// Namespace is a namespace object.
func Namespace(name string) JSON {
	return JSON{"apiVersion": "v1", "kind": "Namespace", "metadata": JSON{"name": name}}
}

// ResourceQuota grants a namespace GPUs.
func ResourceQuota(namespace string, gpus int) JSON {
	return JSON{
		"apiVersion": "v1", "kind": "ResourceQuota", "metadata": JSON{"name": "gpus", "namespace": namespace},
		"spec": JSON{"hard": JSON{"requests.nvidia.com/gpu": fmt.Sprint(gpus)}},
	}
}
