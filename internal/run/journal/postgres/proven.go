package postgres

import (
	"crypto/tls"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Unproven lists the hosts of an address that prove not who they are: a network in between could
// read the journal, and change it. Those of this machine are left out. An address that cannot be
// read has none: Open says what is wrong with it.
func Unproven(address string) (hosts []string) {
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil
	}
	ways := []*pgconn.FallbackConfig{{Host: config.Host, TLSConfig: config.TLSConfig}}
	seen := map[string]bool{}
	for _, way := range append(ways, config.Fallbacks...) {
		if !here(way.Host) && !proves(way.TLSConfig) && !seen[way.Host] {
			hosts = append(hosts, way.Host)
			seen[way.Host] = true
		}
	}
	return hosts
}

// here says whether a host is this machine: a socket, or loopback.
func here(host string) bool {
	ip := net.ParseIP(host)
	return strings.HasPrefix(host, "/") || host == "localhost" || ip != nil && ip.IsLoopback()
}

// proves says whether a server has to show a certificate of an authority that is trusted.
func proves(c *tls.Config) bool {
	return c != nil && (!c.InsecureSkipVerify || c.VerifyPeerCertificate != nil || c.VerifyConnection != nil)
}
