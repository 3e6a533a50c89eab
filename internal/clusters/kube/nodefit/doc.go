// Package nodefit says whether a pod fits on a node, as kube-scheduler would say it. Muster
// binds most of its pods by itself, so it must refuse what kube-scheduler refuses.
//
// pod.go keeps what a pod asks of its node, node.go what a node offers and what stands
// there already. Misfits (misfit.go) compares the three and lists what is wrong, as
// data; nothing wrong means that the pod may be bound. ports.go and repel.go are the two
// comparisons that need more than a line. handon.go names the pods that are left to
// kube-scheduler, because they need what is not looked at here: volumes, claims of devices,
// affinity between pods, spreading, groups of kube-scheduler's, gates of others.
//
// The judge is kube-scheduler itself: a test of the room above asks its filter
// plugins the same questions about random nodes and pods.
package nodefit
