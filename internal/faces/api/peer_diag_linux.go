package api

import (
	"encoding/binary"
	"net/netip"
	"syscall"
)

// This file asks the kernel for one socket (sock_diag(7)): to look through its list of all
// connections takes a millisecond where there are many.

const (
	sockDiag         = 4  // NETLINK_SOCK_DIAG
	sockDiagByFamily = 20 // SOCK_DIAG_BY_FAMILY

	headLength  = 16 // of struct nlmsghdr
	diagRequest = 56 // of struct inet_diag_req_v2
	diagAnswer  = 72 // of struct inet_diag_msg

	// Where the parts of an answer stand, its head counted.
	answerState = headLength + 1
	answerUID   = headLength + 64
	answerInode = headLength + 68

	stateEstablished = 1 // TCP_ESTABLISHED
)

// askedUser is listedUser by a question to the kernel for that socket alone. Below 0 where it is not
// known or not open, and where the kernel does not take such questions.
func askedUser(theirs, ours netip.AddrPort) int {
	answer, err := askDiag(diagQuestion(theirs, ours))
	if err != nil || len(answer) < headLength+diagAnswer || binary.NativeEndian.Uint16(answer[4:]) != sockDiagByFamily {
		return -1
	}
	if answer[answerState] != stateEstablished || binary.NativeEndian.Uint32(answer[answerInode:]) == 0 {
		return -1
	}
	return int(binary.NativeEndian.Uint32(answer[answerUID:]))
}

// diagQuestion asks for the socket whose own end is theirs and whose other end is ours.
func diagQuestion(theirs, ours netip.AddrPort) []byte {
	q := make([]byte, headLength+diagRequest)
	binary.NativeEndian.PutUint32(q, uint32(len(q)))
	binary.NativeEndian.PutUint16(q[4:], sockDiagByFamily)
	binary.NativeEndian.PutUint16(q[6:], syscall.NLM_F_REQUEST)
	r := q[headLength:]
	r[0], r[1] = syscall.AF_INET6, syscall.IPPROTO_TCP
	if theirs.Addr().Is4() {
		r[0] = syscall.AF_INET
	}
	binary.NativeEndian.PutUint32(r[4:], 1<<stateEstablished)
	id := r[8:]
	binary.BigEndian.PutUint16(id, theirs.Port())
	binary.BigEndian.PutUint16(id[2:], ours.Port())
	copy(id[4:20], theirs.Addr().AsSlice())
	copy(id[20:36], ours.Addr().AsSlice())
	binary.NativeEndian.PutUint64(id[40:], ^uint64(0)) // no cookie
	return q
}

// askDiag sends a question, which the kernel answers at once.
func askDiag(question []byte) ([]byte, error) {
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, sockDiag)
	if err != nil {
		return nil, err
	}
	defer func() { _ = syscall.Close(fd) }()
	if err := syscall.Sendto(fd, question, 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
		return nil, err
	}
	answer := make([]byte, 1024)
	n, _, err := syscall.Recvfrom(fd, answer, syscall.MSG_DONTWAIT)
	if err != nil {
		return nil, err
	}
	return answer[:n], nil
}
