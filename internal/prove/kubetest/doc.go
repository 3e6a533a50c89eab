// Package kubetest runs a real Kubernetes control plane on loopback for tests:
// etcd, kube-apiserver, kube-scheduler and kube-controller-manager, and kwok,
// which plays the kubelets of nodes that do not exist.
//
// binaries.go finds the five programs, or builds them once from the module in
// test/controlplane; they are kept outside the clone. cluster.go starts and stops
// them, each by itself, so that a test may take one away. lock.go lets one process
// build and few control planes run at one time. proxy.go is a way to the API server
// that can be cut. call.go asks the API server as the administrator; objects.go has the objects that
// tests make there.
// A test that finds no programs is skipped with a word that says how to get them.
package kubetest
