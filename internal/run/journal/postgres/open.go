package postgres

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// Options say how to open a journal. The zero value is what a server wants.
type Options struct {
	ReadOnly  bool          // neither tables nor entries are written
	FullCheck bool          // the whole log is proven before Open returns
	Timeout   time.Duration // of one append or one look; 0 means 10 s
}

// How long one statement may take, a new connection, and what moves much at once.
const (
	usualTimeout   = 10 * time.Second
	connectTimeout = 3 * time.Second
	longTimeout    = 2 * time.Minute
	connections    = 8
)

// Journal is a handle on the log in a database. Several handles, in several processes,
// may be open at once.
type Journal struct {
	name    string // of the database, without a password
	options Options
	pool    *pgxpool.Pool
	closed  atomic.Bool

	write  sync.Mutex   // held while an append runs
	tail   journal.Link // what the log ended with when this handle last looked
	unsure bool         // whether the last append was done is not known
	term   atomic.Int64
	led    atomic.Bool                  // whether it has led by a lease, in this term or an earlier one
	known  atomic.Pointer[journal.Link] // the last entry that this handle has seen; nil: none
	begins atomic.Pointer[journal.Link] // after which the log begins; nil: it has all of its entries

	listening sync.Mutex // held while listener is used
	listener  *pgx.Conn  // nil: none yet
}

var (
	_ journal.Journal = (*Journal)(nil)
	_ journal.Prober  = (*Journal)(nil)
)

// Is says whether an address names a database: it begins with postgres:// or postgresql://.
func Is(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// Open opens the journal in the database at an address (postgres://…, several hosts may be
// named). It makes the tables where there are none. A database that cannot be reached gives
// an error that wraps journal.ErrUnavailable.
func Open(ctx context.Context, address string, o Options) (*Journal, error) {
	if o.Timeout == 0 {
		o.Timeout = usualTimeout
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("journal: the address of the database: %w", err)
	}
	if config.ConnConfig.ValidateConnect == nil && !o.ReadOnly {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.ConnConfig.RuntimeParams["application_name"] = "muster"
	config.MaxConns = max(config.MaxConns, connections)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{name: nameOf(address), options: o, pool: pool}
	if err := j.start(ctx); err != nil {
		_ = j.Close()
		return nil, err
	}
	return j, nil
}

// Name says where the journal is, without a password.
func (j *Journal) Name() string { return j.name }

// nameOf is an address without its password.
func nameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "postgres"
	}
	u.RawQuery = ""
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	return u.String()
}

func (j *Journal) start(ctx context.Context) error {
	patient, stop := context.WithTimeout(ctx, longTimeout)
	defer stop()
	if !j.options.ReadOnly {
		if err := migrate(patient, j.pool, j.name); err != nil {
			return j.explain("open", err)
		}
	}
	_, least, err := formatOf(patient, j.pool)
	switch {
	case err != nil:
		return j.explain("open", err)
	case least == 0:
		return fmt.Errorf("journal %s: there is no journal in this database; name another", j.name)
	case least > format:
		return &journal.VersionError{Path: j.name, Found: int(least), Known: format}
	}
	if err := j.adoptTerm(ctx); err != nil {
		return err
	}
	if err := j.lookForBase(ctx); err != nil {
		return j.explain("open", err)
	}
	if j.tail, err = j.last(ctx); err != nil {
		return j.explain("open", err)
	}
	j.note(j.tail)
	return j.check(ctx)
}

// adoptTerm takes the present term over. Where a server leads, that is refused at the first append:
// only Claim leads.
func (j *Journal) adoptTerm(ctx context.Context) error {
	ctx, stop := j.brief(ctx)
	defer stop()
	var term int64
	err := j.pool.QueryRow(ctx, "SELECT CASE WHEN until < clock_timestamp() THEN term ELSE -1 END FROM muster.lease").Scan(&term)
	j.term.Store(term)
	return j.explain("open", err)
}

// check proves what follows the newest intact snapshot, or all of it.
func (j *Journal) check(ctx context.Context) error {
	before := j.beginning()
	if !j.options.FullCheck {
		s, ok, err := j.SnapshotBefore(ctx, 1<<63-1)
		if err != nil {
			return err
		}
		if ok {
			if before, err = j.stored(ctx, s.Seq); err != nil {
				return err
			}
		}
	}
	if j.options.ReadOnly {
		return nil
	}
	return j.scan(ctx, before, j.tail.Seq, func(journal.Entry) error { return nil })
}

// Verify proves the whole log, and returns a *journal.CorruptError for the first damage it meets.
func (j *Journal) Verify(ctx context.Context) error {
	return j.Read(ctx, 0, func(journal.Entry) error { return nil })
}

// Close ends the handle; see journal.Journal.
func (j *Journal) Close() error {
	if j.closed.Swap(true) {
		return nil
	}
	j.write.Lock() // once a running append is through
	defer j.write.Unlock()
	j.listening.Lock()
	defer j.listening.Unlock()
	if j.listener != nil {
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		_ = j.listener.Close(ctx)
	}
	j.pool.Close()
	return nil
}

// Probe asks whether the database answers, and still has the log.
func (j *Journal) Probe(ctx context.Context) error {
	if err := j.ready(ctx); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, j.options.Timeout)
	defer stop()
	known := j.known.Load()
	last, err := j.last(ctx)
	if err != nil {
		return j.explain("look", err)
	}
	return j.checkForgotten(known, last)
}

// brief bounds what one statement may take: a database that is cut off answers nothing, not even
// that it is gone.
func (j *Journal) brief(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, j.options.Timeout)
}

// ready returns why nothing can be asked of the journal now.
func (j *Journal) ready(ctx context.Context) error {
	if j.closed.Load() {
		return journal.ErrClosed
	}
	return ctx.Err()
}
