// Package link is the one stream between a server and the agent of a cluster.
//
// The agent dials, the server never does. Both show a certificate (authority.go),
// and the agent's says which cluster it speaks for. Then the two change sides: the
// server asks over HTTP/2 on that connection, and the agent answers (agent.go). What
// is asked are calls of the cluster's API server, so that everything Muster knows of
// clusters is in the server, and an agent of any age will do. hub.go keeps the lines
// to agents, and is a way to a cluster whichever of its agents is there just now. Certificates
// are renewed on the line: renewal.go has the server's side, agentrenewal.go the agent's.
package link
