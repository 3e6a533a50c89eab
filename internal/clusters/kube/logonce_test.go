package kube

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// What lasts is said once, and again when it is another, or was over meanwhile.
func TestWhatLastsIsSaidOnce(t *testing.T) {
	var n logOnce
	said := []bool{n.is("a", "x"), n.is("a", "x"), n.is("b", "x"), n.is("a", "y"), n.over("a"), n.over("a"), n.is("a", "y")}
	for i, want := range []bool{true, false, true, true, true, false, true} {
		if said[i] != want {
			t.Errorf("step %d: %t", i, said[i])
		}
	}
	synctest.Test(t, func(t *testing.T) {
		var n logOnce
		if !n.now("count", "1") || n.now("count", "2") || !n.seldom("refused") || n.seldom("refused") || !n.seldom("gone") {
			t.Error("of what goes on changing the first is said, of what goes on failing each once")
		}
		time.Sleep(saidAgain)
		if n.now("count", "1") || !n.now("count", "3") || n.seldom("refused") {
			t.Error("after a minute another count is said, and nothing else")
		}
		time.Sleep(10 * time.Minute)
		if !n.seldom("refused") {
			t.Error("after long the same is said again")
		}
	})
}

// Another port is no news.
func TestTheCauseOfAnErrorNamesNoPort(t *testing.T) {
	broken := func(port int) error {
		return &net.OpError{Op: "read", Net: "tcp", Source: &net.TCPAddr{Port: port}, Err: errors.New("connection reset by peer")}
	}
	if cause(broken(1)) != cause(broken(2)) || cause(broken(1)) == cause(errors.New("no")) {
		t.Error(cause(broken(1)), cause(broken(2)))
	}
}
