// Package translate says what objects of a Kubernetes cluster mean in Muster's
// words. Every function is pure: objects in, nouns out, whatever is in the objects.
//
// options.go names the labels that are read. node.go reads nodes, health.go what
// their conditions and taints say, pod.go pods, group.go puts pods together to
// workloads, later.go pictures those that are not made yet, quota.go reads ResourceQuotas and Kueue's queues. What cannot be
// understood is a Problem, never a guess.
package translate
