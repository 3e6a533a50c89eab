// Package kube joins a Kubernetes cluster to Muster.
//
// translate says what objects mean. watch.go keeps what the API server shows, and
// picture.go puts one moment of it together. metal.go, grants.go and work.go compare
// a picture with Muster's state and say what commands bring the state to it: the
// same picture leads to the same commands, and to none where both agree. So a lost
// watch, a restart or an event seen twice changes nothing. sync.go does it again
// and again, and says when the reports have stopped. client.go speaks with the
// API server.
package kube
