package tollgate

import (
	"context"
	"database/sql"
)

// Dialect is how a database wants to be spoken to.
type Dialect string

// The dialects that ApplyOnce speaks.
const (
	// PostgreSQL has parameters like $1.
	PostgreSQL Dialect = "postgresql"
	// MySQL is also MariaDB.
	MySQL Dialect = "mysql"
	// SQLite is a file.
	SQLite Dialect = "sqlite"
)

// statements are the same in every library.
type statements struct {
	createTable string
	// insert has the parameter subject.
	insert string
	// claim has the parameters subject and sequence. It changes the row, and so locks it, only if the notification is news.
	claim string
	// advance has the parameters sequence and subject.
	advance string
}

const (
	savepoint       = "savepoint tollgate_apply_once"
	rollBack        = "rollback to savepoint tollgate_apply_once"
	release         = "release savepoint tollgate_apply_once"
	createTableHead = "create table if not exists tollgate_applied (subject "
	// MySQL counts only rows in which something is different afterwards: that is what claims is for.
	createTableTail = " primary key, sequence bigint not null, claims bigint not null default 0)"
	claim           = "update tollgate_applied set claims = claims + 1 where subject = ? and sequence < ?"
	advance         = "update tollgate_applied set sequence = ? where subject = ?"
)

func (d Dialect) statements() (statements, error) {
	switch d {
	case PostgreSQL:
		return statements{
			createTable: createTableHead + "text" + createTableTail,
			insert:      "insert into tollgate_applied (subject, sequence) values ($1, -1) on conflict (subject) do nothing",
			claim:       "update tollgate_applied set claims = claims + 1 where subject = $1 and sequence < $2",
			advance:     "update tollgate_applied set sequence = $1 where subject = $2",
		}, nil
	case MySQL:
		return statements{
			createTable: createTableHead + "varchar(160) character set ascii collate ascii_bin" + createTableTail,
			// Not `insert ignore`: that locks the row for reading, and two who then want to write it wait for each other.
			insert:  "insert into tollgate_applied (subject, sequence) values (?, -1) on duplicate key update sequence = sequence",
			claim:   claim,
			advance: advance,
		}, nil
	case SQLite:
		return statements{
			createTable: createTableHead + "text" + createTableTail,
			insert:      "insert or ignore into tollgate_applied (subject, sequence) values (?, -1)",
			claim:       claim,
			advance:     advance,
		}, nil
	}
	return statements{}, misconfigured("There is no dialect %s: postgresql, mysql or sqlite.", d)
}

// CreateTable is the statement that makes the table of ApplyOnce. Run it once, when you set up your database. It is "" for a
// dialect that is none of the above.
func (d Dialect) CreateTable() string {
	statements, err := d.statements()
	if err != nil {
		return ""
	}
	return statements.createTable
}

// Execute runs a statement in your transaction, and says how many rows it changed: for drivers that are not behind database/sql.
type Execute func(ctx context.Context, statement string, parameters ...any) (rows int64, err error)

// ApplyOnce calls apply only if the news is newer than what was applied before, in your transaction, which you then commit:
// notifications may come twice, and may overtake each other. It says whether it was applied; if not, it is old news. Acknowledge
// both.
//
// When apply fails, so does this, and nothing of it is left in the transaction, neither what it had written by then nor the mark
// that it was applied: whatever you do with the transaction afterwards, the next delivery is news again.
func ApplyOnce(
	ctx context.Context, transaction *sql.Tx, dialect Dialect, news News, apply func(context.Context) error,
) (applied bool, err error) {
	execute := func(ctx context.Context, statement string, parameters ...any) (int64, error) {
		result, err := transaction.ExecContext(ctx, statement, parameters...)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
	return ApplyOnceWith(ctx, execute, dialect, news, apply)
}

// ApplyOnceWith is ApplyOnce for other drivers. Execute has to run in a transaction that you began: without one, the database
// refuses before anything is applied.
func ApplyOnceWith(
	ctx context.Context, execute Execute, dialect Dialect, news News, apply func(context.Context) error,
) (applied bool, err error) {
	statements, err := dialect.statements()
	if err != nil {
		return false, err
	}
	if _, err := execute(ctx, statements.insert, news.Subject); err != nil {
		return false, err
	}
	// Outside of a transaction PostgreSQL refuses a savepoint, but MySQL forgets it without a word: then the second one fails.
	for _, statement := range []string{savepoint, rollBack} {
		if _, err := execute(ctx, statement); err != nil {
			return false, err
		}
	}
	rows, err := execute(ctx, statements.claim, news.Subject, news.Sequence)
	if err != nil {
		return false, err
	}
	if rows == 0 {
		_, err := execute(ctx, release)
		return false, err
	}
	if err := applyAndMark(ctx, execute, statements, news, apply); err != nil {
		undo(context.WithoutCancel(ctx), execute)
		return false, err
	}
	return true, nil
}

func applyAndMark(
	ctx context.Context, execute Execute, statements statements, news News, apply func(context.Context) error,
) error {
	isDone := false
	defer func() {
		if !isDone {
			// It panicked: whoever recovers from that and commits must not commit half of it.
			undo(context.WithoutCancel(ctx), execute)
		}
	}()
	err := apply(ctx)
	isDone = true
	if err != nil {
		return err
	}
	// Last, so that what commits too early in the middle of apply does not commit the mark as well.
	if _, err := execute(ctx, statements.advance, news.Sequence, news.Subject); err != nil {
		return err
	}
	_, err = execute(ctx, release)
	return err
}

// undo: when the connection or the whole transaction is lost there is nothing to undo; the first error is the one to tell.
func undo(ctx context.Context, execute Execute) {
	if _, err := execute(ctx, rollBack); err != nil {
		return
	}
	_, _ = execute(ctx, release)
}
