package translate

import "strings"

// Options name what is read of a cluster's objects. A list of labels is in order:
// the first that an object has counts.
type Options struct {
	Cluster string
	// Distinct says that nodes and namespaces are called with their cluster's name
	// behind theirs, since other clusters may have some of the same name.
	Distinct  bool
	Resources []string // extended resources that are GPUs
	Drivers   []string // of resource slices that are GPUs
	Models    []string // labels of nodes that name the GPU model
	Islands   []string // labels of nodes that name the fabric
	Racks     []string // labels of nodes that name the switch
	// Broken are keys of taints that say a node cannot serve; what ends in / or . is a prefix.
	Broken []string
}

// Labels and annotations of Muster's own.
const (
	LabelTarget   = "muster.dev/target"   // quota path with . for / where the value may not have one, or flex
	LabelWorkload = "muster.dev/workload" // pods with one value are one workload
	LabelPool     = "muster.dev/pool"

	AnnotationTarget     = "muster.dev/target" // where the path does not fit into a label
	AnnotationPriority   = "muster.dev/priority"
	AnnotationRank       = "muster.dev/rank"
	AnnotationReach      = "muster.dev/reach"
	AnnotationReplicas   = "muster.dev/replicas" // 16, or 2..8 for an elastic pool
	AnnotationMaxRuntime = "muster.dev/max-runtime"
	AnnotationCheckpoint = "muster.dev/checkpoint-every"
	AnnotationGrace      = "muster.dev/grace"
	AnnotationFreeze     = "muster.dev/bears-freeze"
	AnnotationPartition  = "muster.dev/partition"

	AnnotationNode = "muster.dev/node" // where Muster has started the pod

	AnnotationAuthor = "muster.dev/author" // the user that made the object; see Made

	Condition = "muster.dev/Admitted" // of a pod: whether Muster has started it, and why not

	Gate = "muster.dev/admission" // scheduling gate of pods that wait for Muster

	Scheduler = "muster" // schedulerName of pods that Muster binds by itself
)

// Defaults are what clusters usually call things.
func Defaults(cluster string) Options {
	return Options{
		Cluster:   cluster,
		Resources: []string{"nvidia.com/gpu", "amd.com/gpu"},
		Drivers:   []string{"gpu.nvidia.com", "gpu.amd.com"},
		Models:    []string{"muster.dev/gpu", "nvidia.com/gpu.product", "amd.com/gpu.product-name", "gpu.nvidia.com/model", "node.kubernetes.io/instance-type"},
		Islands: []string{
			"muster.dev/island", "nvidia.com/gpu.clique", "network.topology.nvidia.com/accelerator", "network.topology.nvidia.com/block",
			"topology.kubernetes.io/block", "network.topology.nvidia.com/spine", "cloud.provider.com/topology-block", "topology.kubernetes.io/zone",
		},
		Racks: []string{
			"muster.dev/rack", "network.topology.nvidia.com/leaf", "topology.kubernetes.io/rack", "cloud.provider.com/topology-rack",
		},
		Broken: []string{
			"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "node.kubernetes.io/out-of-service",
			"node.kubernetes.io/network-unavailable", "node.cloudprovider.kubernetes.io/shutdown", "muster.dev/quarantined",
			"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler", "karpenter.sh/disrupted",
			"nvidia.com/gpu-error", "nvsentinel.", "remediation.",
		},
	}
}

// breaks says whether a taint's key means that the node cannot serve.
func (o *Options) breaks(key string) bool {
	for _, b := range o.Broken {
		if key == b || (strings.HasSuffix(b, "/") || strings.HasSuffix(b, ".")) && strings.HasPrefix(key, b) {
			return true
		}
	}
	return false
}

// Problem is something about an object that cannot be understood, or is left out.
type Problem struct {
	Object string // node/tiger-001
	Text   string
}

func (p Problem) String() string { return p.Object + ": " + p.Text }
