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
//	snapshot.go, seenpod.go, seenjob.go   one moment of it; package translate says what objects mean
//	owners.go, ownerfrom.go, ownerparts.go   what makes pods, and how many
//	authors.go, authorpolicy.go   people who made work, and from when on that is a fact
//	usage.go            what Prometheus says of GPUs
//	heartbeat.go        whether the API server is there
//
// From the cluster to the state:
//
//	inventory.go, names.go        nodes, and what they are called
//	fitcontroller.go    nodes that take fewer pods than they have GPUs for
//	nodecontroller.go   their signals, and what others marked on them, where Muster decides
//	planned.go          maintenances that were announced for nodes
//	nodestates.go       their states, where nothing is decided: on a cluster that is only watched
//	grants.go           quota
//	observedwork.go     work on a cluster that is only watched
//	foreign.go, astray.go         GPU pods that Muster does not manage, or that run past it
//	workloads.go, resize.go       work that Muster starts
//
// From the state to the cluster:
//
//	takeover.go         the moment from which Muster decides there
//	lostfleet.go        a cluster that runs what the state knows nothing of is left alone
//	desired.go          what should run
//	podplan.go          that compared with the pods
//	podcontroller.go, suspensions.go, nodefits.go   start where it fits, and evict
//	unfit.go            pods that their node does not take
//	conditions.go       tells pods why they wait
//	nodecontroller.go, nodemarks.go, outofservice.go   mark nodes (nodecontroller.go goes both ways), and fence silent ones
//	stages.go           shows on a node and its pods how far its maintenance is
//	visitjobs.go        carries visits of nodes out by Jobs
//	building.go, build*.go   what a cluster that is built says of itself, and validation by Jobs
//	nodejobs.go         a Job on one node alone
//	kueuecontroller.go  reads Kueue's queues, and writes its quotas
//
// shared.go says what the engine must offer; scope.go lets one cluster say nothing of another.
// The files client*.go speak with the API server, readonly.go without ever writing, redirects.go with no other; logonce.go says each
// trouble once. nodeagent.go runs on a node and asks what its provider has planned. plugin.go
// and serviceproxy.go serve people who have a kubeconfig alone. The reconciler runs in the server: the
// agent in the cluster only passes calls on (apiproxy.go), and only those that Muster makes
// (allowed*.go).
package kube
