package api

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// socketUser is the user at the other end of a Unix socket, as the kernel noted it when the
// connection was made; below 0: unknown.
func socketUser(c *net.UnixConn) int {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1
	}
	uid := -1
	_ = raw.Control(func(fd uintptr) {
		if cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			uid = int(cred.Uid)
		}
	})
	return uid
}

// connectionUser is the user whose socket is at the other end of a connection inside this
// machine: the kernel is asked for it, or lists it where it takes no such question. Only an open connection counts, since one that its owner has
// left is listed as root's. Below 0: unknown.
func connectionUser(from, local net.Addr) int {
	theirs, ok1 := endOf(from)
	ours, ok2 := endOf(local)
	if !ok1 || !ok2 || !theirs.Addr().IsLoopback() {
		return -1
	}
	if uid := askedUser(theirs, ours); uid >= 0 {
		return uid
	}
	for _, file := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		if uid := listedUser(file, theirs, ours); uid >= 0 {
			return uid
		}
	}
	return -1
}

func endOf(a net.Addr) (netip.AddrPort, bool) {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}, false
	}
	p := t.AddrPort()
	return netip.AddrPortFrom(p.Addr().Unmap().WithZone(""), p.Port()), true
}

const established = "01"

// listedUser looks for the socket whose own end is theirs and whose other end is ours.
func listedUser(file string, theirs, ours netip.AddrPort) int {
	f, err := os.Open(file)
	if err != nil {
		return -1
	}
	defer func() { _ = f.Close() }()
	port := strings.ToUpper(strconv.FormatUint(uint64(theirs.Port())|1<<16, 16))[1:]
	end := []byte(":" + port + " ")
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if !bytes.Contains(lines.Bytes(), end) {
			continue // one of many others: not worth taking apart
		}
		col := strings.Fields(lines.Text())
		if len(col) < 10 || col[3] != established || !strings.HasSuffix(col[1], ":"+port) || col[9] == "0" {
			continue
		}
		own, ok1 := readEnd(col[1])
		other, ok2 := readEnd(col[2])
		uid, err := strconv.Atoi(col[7])
		if ok1 && ok2 && err == nil && own == theirs && other == ours {
			return uid
		}
	}
	return -1
}

// readEnd reads an address as the kernel lists it: words in the machine's own order, which
// is little-endian on all that Muster is built for, then the port.
func readEnd(text string) (netip.AddrPort, bool) {
	host, port, _ := strings.Cut(text, ":")
	n, err := strconv.ParseUint(port, 16, 16)
	raw, err2 := hex.DecodeString(host)
	if err != nil || err2 != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(raw); i += 4 {
		raw[i], raw[i+1], raw[i+2], raw[i+3] = raw[i+3], raw[i+2], raw[i+1], raw[i]
	}
	a, ok := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(a.Unmap(), uint16(n)), ok
}

// connectionUserKnown says whether this system tells whose a connection is.
const connectionUserKnown = true
