// Package adapt turns what monitors of other makes say into signals. kubernetes.go reads
// conditions of Kubernetes nodes: the kubelet's own, node-problem-detector's, and those of
// AKS. xid.go has the table of XIDs, the errors of NVIDIA's driver. kernel.go reads lines of
// the kernel's log, and DCGM.
//
// Each is a pure function. What follows from a signal is not said here: that is
// the health policy's.
package adapt
