// Package clusters is the floor of the world outside. It has no code of its own.
//
//	kube   joins a Kubernetes cluster: observes it, and brings about what was decided
//	 ├── translate   what its objects mean in Muster's words
//	 ├── nodefit     whether a pod fits on a node, as kube-scheduler says it
//	 ├── kueue, dcgm, marks, webhook, plain, tokenreview
//	link   the one line between a server and the agent of a cluster
package clusters
