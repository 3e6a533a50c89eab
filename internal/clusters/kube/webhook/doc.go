// Package webhook answers admission reviews of pods, for clusters that have no
// MutatingAdmissionPolicy yet. It does exactly what the policy in
// deploy/kubernetes/admission.yaml does: a GPU pod with a target is given Muster's
// scheduling gate and the priority class of managed pods.
//
// mutate.go says how a pod is changed, and is pure. serve.go answers HTTP. Which pods
// are asked about is the API server's configuration (deploy/kubernetes/webhook.yaml).
package webhook
