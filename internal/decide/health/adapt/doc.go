// Package adapt turns what monitors of other makes say into signals: conditions
// of Kubernetes nodes (kubernetes.go: the kubelet's own, node-problem-detector's,
// and those of AKS), and errors of NVIDIA's driver (xid.go: the table of XIDs;
// kernel.go: lines of the kernel's log, and DCGM).
//
// Each is a pure function. What follows from a signal is not said here: that is
// the health policy's.
package adapt
