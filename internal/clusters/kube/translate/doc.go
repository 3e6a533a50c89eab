// Package translate says what objects of a Kubernetes cluster mean in Muster's
// words. Every function is pure: objects in, nouns out, whatever is in the objects.
//
//	options.go              the labels that are read
//	node.go, health.go      nodes, and what their conditions and taints say
//	dra.go                  GPUs that a driver of devices offers
//	pod.go, group.go        pods, and how they make up workloads
//	owner.go                what makes pods: the whole that a pod is part of
//	templates.go            pods that are not made yet
//	longnumbers.go          numbers that take gigabytes to read
//	suspend.go              Jobs and JobSets that start when their suspension ends
//	quota.go                ResourceQuotas, and Kueue's queues
//	marks.go, names.go      marks of nodes; names where there are several clusters
//
// What cannot be understood is a Problem, never a guess.
package translate
