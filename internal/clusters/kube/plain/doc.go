// Package plain speaks to a Kubernetes API server in plain JSON, without types and
// without a watch: Call makes one call, Make creates many objects. Stories and tests use
// it to create nodes and pods. The reconciler itself uses client-go.
//
// It is not client-go's dynamic client, because bulk speed counts: tests that measure
// Muster share two cores with the API server and with the program that creates the pods.
// Creating 8,000 pods, 16 at a time, costs 1.0 s of processor time with Make and 3.0 s
// with the dynamic client, which reads every answer whole
// (go test -bench BulkCreate ./internal/clusters/kube).
package plain
