// Package stage plays stories on a real Kubernetes cluster, with the same files and
// the same expectations as on the simulated one.
//
// A Cluster is an API server on which stories may be played. A Stage is that cluster during
// one story: it implements the scenario room's Stage. The story's clock stands still until
// the cluster is at rest, so that everything may take its time.
//
//	cluster.go      the cluster, and what a stage leaves there
//	stage.go        the stage as a driver
//	submit.go       submits work as users do, by creating pods
//	controllers.go  does what controllers and kubelets do
//	pods.go         the story's pods, and what their programs do
//	rest.go         says when the cluster is at rest
//	compare.go      compares the pods with Muster's state
package stage
