// Package stage plays stories on a real Kubernetes cluster, with the same files and
// the same expectations as on the simulated one.
//
// A Cluster (cluster.go) is an API server on which stories may be played. A Stage
// (stage.go) is that cluster during one story: it implements the scenario room's Stage.
// The story's clock stands still until the cluster is at rest (rest.go), so that
// everything takes the time that it takes. controllers.go does what controllers and
// kubelets do: it makes nodes and pods, and takes them away. submit.go submits work as
// users do, by creating pods. What is compared with Muster's state is in compare.go.
package stage
