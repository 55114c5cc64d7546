package tollgate

import (
	"context"
	"database/sql"
)

// Dialect is the SQL dialect of a database.
type Dialect string

// The dialects that ApplyOnce supports.
const (
	// PostgreSQL uses parameters like $1.
	PostgreSQL Dialect = "postgresql"
	// MySQL is for MySQL and MariaDB.
	MySQL Dialect = "mysql"
	// SQLite is for SQLite.
	SQLite Dialect = "sqlite"
)

// statements has the statements of one dialect, the same in every library.
type statements struct {
	createTable string
	// insert has the parameter subject.
	insert string
	// claim has the parameters subject and sequence. It updates the row, and so locks it, only if the
	// sequence is newer.
	claim string
	// advance has the parameters sequence and subject.
	advance string
}

const (
	savepoint       = "savepoint tollgate_apply_once"
	rollBack        = "rollback to savepoint tollgate_apply_once"
	release         = "release savepoint tollgate_apply_once"
	createTableHead = "create table if not exists tollgate_applied (subject "
	// Every claim changes the column `claims`, because MySQL counts only rows whose values change.
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
			// `insert ignore` would take a shared lock on the row, and two transactions that then update the
			// row would deadlock.
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
	return statements{}, misconfigured("Unknown dialect %s: use postgresql, mysql or sqlite.", d)
}

// CreateTable returns the statement that creates the table of ApplyOnce. Run it once, when you set up your
// database. It returns "" for an unknown dialect.
func (d Dialect) CreateTable() string {
	statements, err := d.statements()
	if err != nil {
		return ""
	}
	return statements.createTable
}

// Execute runs a statement in your transaction and returns the number of changed rows, for drivers without
// database/sql.
type Execute func(ctx context.Context, statement string, parameters ...any) (rows int64, err error)

// ApplyOnce calls apply in your transaction only if the webhook is newer than the last applied change of its
// record, because webhooks can arrive twice and out of order. It reports whether the webhook was applied.
// Acknowledge the webhook whether or not it was applied.
//
// If apply fails, ApplyOnce returns the same error and rolls back everything that apply wrote, and the mark
// that the change was applied. Whether you then commit or roll back the transaction, the next delivery is
// applied.
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

// ApplyOnceWith is ApplyOnce for other drivers. Execute must run in a transaction that you began. Without a
// transaction, the database rejects a statement before anything is applied.
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
	// Outside a transaction PostgreSQL rejects a savepoint, but MySQL silently drops it. In that case the
	// rollback to the savepoint fails.
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
			// After a panic in apply, this call rolls back, because a caller that recovers and commits must
			// not commit a part of the change.
			undo(context.WithoutCancel(ctx), execute)
		}
	}()
	err := apply(ctx)
	isDone = true
	if err != nil {
		return err
	}
	// The mark is written last, so that a commit inside `apply` does not commit the mark as well.
	if _, err := execute(ctx, statements.advance, news.Sequence, news.Subject); err != nil {
		return err
	}
	_, err = execute(ctx, release)
	return err
}

// undo rolls back to the savepoint. If the connection or the whole transaction is lost, there is nothing to
// undo. The first error is the one to report.
func undo(ctx context.Context, execute Execute) {
	if _, err := execute(ctx, rollBack); err != nil {
		return
	}
	_, _ = execute(ctx, release)
}
