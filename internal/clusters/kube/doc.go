// Package kube keeps Muster's state and a Kubernetes cluster in step.
//
// A Reconciler (reconciler.go) works in rounds. It takes a Snapshot of what the cluster
// shows, tells the engine what is new, and brings the cluster to what the state says.
// Every round compares the whole, so a lost watch, a restart or an event seen twice
// changes nothing: the same snapshot leads to the same commands, and to none where both
// agree.
//
// Observing:
//
//	watch.go, devices.go, optional.go, kueuewatch.go   what the API server shows
//	snapshot.go         one moment of it; package translate says what objects mean
//
// From the cluster to the state:
//
//	inventory.go, nodestates.go   nodes
//	grants.go           quota
//	observedwork.go     work on a cluster that is only watched
//	workloads.go, resize.go       work that Muster starts
//
// From the state to the cluster:
//
//	desired.go          what should run
//	podplan.go          that compared with the pods
//	podcontroller.go, suspensions.go   start and evict
//	conditions.go       tells pods why they wait
//	nodemarks.go, outofservice.go      mark nodes, and fence silent ones
//	kueuecontroller.go  writes Kueue's quotas
//
// The files client*.go speak with the API server. The reconciler runs in the server: the
// agent in the cluster only passes calls on (apiproxy.go), and only those that Muster makes
// (allowedcalls.go, allowedwrites.go).
package kube
