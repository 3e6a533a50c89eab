// Package webhook answers admission reviews, for clusters that have no MutatingAdmissionPolicy
// yet. It does exactly what the policies in deploy/kubernetes/admission.yaml do: a GPU pod with
// a target is given Muster as its scheduler, or Muster's scheduling gate where it needs
// kube-scheduler, and the priority class of managed pods. What makes pods is given the same once,
// in its templates.
//
// mutate.go says how a pod is changed and templates.go how what makes pods is; both are pure.
// serve.go answers HTTP. Which objects are asked about is the API server's configuration
// (deploy/kubernetes/webhook.yaml).
package webhook
