package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal/postgres"
)

// A database on another machine proves who it is only where its address asks for that.
func TestWhichDatabasesProveWhoTheyAre(t *testing.T) {
	for address, want := range map[string][]string{
		"postgres://u@db.example.org/muster":                           {"db.example.org"},
		"postgres://u@db.example.org/muster?sslmode=disable":           {"db.example.org"},
		"postgres://u@db.example.org/muster?sslmode=require":           {"db.example.org"},
		"postgres://u@a.example.org,b.example.org/muster":              {"a.example.org", "b.example.org"},
		"postgres://u@db.example.org/muster?sslmode=verify-full":       nil,
		"postgres://u@127.0.0.1/muster":                                nil,
		"postgres://u@/muster?host=/var/run/postgresql":                nil,
		"postgres://u@localhost/muster?sslmode=disable":                nil,
		"postgres://u@127.0.0.1,db.example.org/muster?sslmode=disable": {"db.example.org"},
		"postgres://u@db.example.org/muster?sslmode=nonsense":          nil,
	} {
		if got := postgres.Unproven(address); !slices.Equal(got, want) {
			t.Errorf("%s: %q prove nothing, want %q", address, got, want)
		}
	}
}

// What is wrong with an address is said without the password in it.
func TestNoErrorHoldsThePassword(t *testing.T) {
	for _, address := range []string{
		"postgres://u:planted%ZZ@h/db", "postgres://u:planted@h:notaport/db", "postgres://u:planted@h/db?sslmode=nonsense",
		"postgres://u:planted@h/db?password=planted&connect_timeout=x", "postgres://u:plan ted@h/db", "postgres://u:planted@127.0.0.1:1/db",
		"postgres://u:pl#planted@127.0.0.1:1/db", "postgres://u:pl/planted@127.0.0.1:1/db",
	} {
		j, err := postgres.Open(t.Context(), address, postgres.Options{})
		if err == nil {
			_ = j.Close()
			t.Errorf("%s is opened", address)
		} else if strings.Contains(err.Error(), "planted") || strings.Contains(err.Error(), "plan ted") {
			t.Errorf("the error says %v", err)
		}
	}
}
