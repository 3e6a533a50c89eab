// Package plain speaks to a Kubernetes API server in plain JSON, without types and
// without a watch: Call asks one thing, Make makes many objects. Who makes nodes and
// pods for a story or a test speaks so; the driver itself watches, with client-go.
package plain
