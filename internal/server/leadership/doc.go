// Package leadership says which of several servers on one database leads: the one that has the lease
// decides, and drives the clusters. The others follow its log, answer reads, and send writes to it.
//
// New is a server's part, Await returns once it leads, Keep renews its lease. May is asked before each
// record and each write to a cluster: a lease that has run out by this server's own clock ends both.
package leadership
