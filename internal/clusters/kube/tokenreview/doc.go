// Package tokenreview asks the API server of a Kubernetes cluster whose token one is
// (TokenReview), so that workloads can show the token that Kubernetes gives them.
//
// A token must have been made for Muster: it names an audience. One that a pod has for
// the API server itself is refused, so that a server that was taken over cannot act as the pod there with it.
package tokenreview
