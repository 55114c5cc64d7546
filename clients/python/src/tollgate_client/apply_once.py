"""Applies each webhook once, and never an older change after a newer one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Literal, NamedTuple, Protocol

from .errors import ConfigurationError

Dialect = Literal["postgresql", "mysql", "sqlite"]
Outcome = Literal["applied", "old news"]


class Statements(NamedTuple):
    """The SQL statements of one dialect."""

    create_table: str
    """The statement that creates the table. Run it once, when you set up your database."""
    insert: str
    """Parameter: subject."""
    claim: str
    """A statement with the parameters subject and sequence. It updates the row, and so locks it,
    only if the sequence is newer.
    """
    advance: str
    """Parameters: sequence, subject."""
    savepoint: str = "savepoint tollgate_apply_once"
    """The last three statements set and undo the savepoint around `apply`, so that a failure rolls
    back everything that it wrote.
    """
    rollback: str = "rollback to savepoint tollgate_apply_once"
    release: str = "release savepoint tollgate_apply_once"


def _statements(text: str, insert: str, place: str) -> Statements:
    return Statements(
        # Every claim changes the column `claims`, because MySQL counts only rows whose values
        # change.
        create_table="create table if not exists tollgate_applied "
        f"(subject {text} primary key, sequence bigint not null, claims bigint not null default 0)",
        insert=insert,
        claim="update tollgate_applied set claims = claims + 1 "
        f"where subject = {place} and sequence < {place}",
        advance=f"update tollgate_applied set sequence = {place} where subject = {place}",
    )


#: Stores the newest applied change of each record, with the placeholders of the usual drivers: psycopg,
#: PyMySQL or mysqlclient, and sqlite3. All libraries use the same statements.
APPLY_ONCE_SQL: dict[Dialect, Statements] = {
    "postgresql": _statements(
        "text",
        "insert into tollgate_applied (subject, sequence) values (%s, -1) "
        "on conflict (subject) do nothing",
        "%s",
    ),
    "mysql": _statements(
        "varchar(160) character set ascii collate ascii_bin",
        # `insert ignore` would take a shared lock on the row, and two transactions that then update
        # the row would deadlock.
        "insert into tollgate_applied (subject, sequence) values (%s, -1) on duplicate key update sequence = sequence",
        "%s",
    ),
    "sqlite": _statements(
        "text", "insert or ignore into tollgate_applied (subject, sequence) values (?, -1)", "?"
    ),
}


class Told(Protocol):
    """A webhook, or the stored values of one."""

    @property
    def subject(self) -> str: ...

    @property
    def sequence(self) -> int: ...


class Cursor(Protocol):
    """A database cursor (PEP 249)."""

    @property
    def rowcount(self) -> int: ...

    def execute(self, sql: str, parameters: Any, /) -> Any: ...


def apply_once(
    cursor: Cursor, dialect: Dialect, notification: Told, apply: Callable[[], object]
) -> Outcome:
    """Runs `apply` only if the webhook is newer than the last applied change of its record.

    Webhooks can arrive twice and out of order. Use a cursor of a transaction that you began and
    will commit: `apply` must write in the same transaction. Acknowledge the webhook whether or not
    it was applied.

    If `apply` raises, `apply_once` raises the same exception and rolls back everything that `apply`
    wrote, and the mark that the change was applied. Whether you then commit or roll back the
    transaction, the next delivery is applied.
    """
    statements = APPLY_ONCE_SQL[dialect]
    # The insert comes first, because most drivers begin the transaction with this statement.
    cursor.execute(statements.insert, (notification.subject,))
    _ask_for_transaction(cursor)
    cursor.execute(statements.savepoint, ())
    # Outside a transaction MySQL silently drops a savepoint. In that case this rollback to the
    # savepoint fails.
    cursor.execute(statements.rollback, ())
    cursor.execute(statements.claim, (notification.subject, notification.sequence))
    if cursor.rowcount == 0:
        cursor.execute(statements.release, ())
        return "old news"
    try:
        apply()
        # The mark is written last, so that a commit inside `apply` does not commit the mark as
        # well.
        cursor.execute(statements.advance, (notification.sequence, notification.subject))
        cursor.execute(statements.release, ())
    except BaseException:
        # An error of the rollback is ignored: if the connection or the whole transaction is lost,
        # there is nothing to undo.
        with suppress(Exception):
            cursor.execute(statements.rollback, ())
            cursor.execute(statements.release, ())
        raise
    return "applied"


async def apply_once_async(
    execute: Callable[[str, tuple[Any, ...]], Awaitable[int]],
    dialect: Dialect,
    notification: Told,
    apply: Callable[[], Awaitable[object]],
) -> Outcome:
    """The asynchronous form of `apply_once`: `execute` runs a statement and returns the number of
    changed rows.
    """
    statements = APPLY_ONCE_SQL[dialect]
    await execute(statements.insert, (notification.subject,))
    await execute(statements.savepoint, ())
    await execute(statements.rollback, ())
    if await execute(statements.claim, (notification.subject, notification.sequence)) == 0:
        await execute(statements.release, ())
        return "old news"
    try:
        await apply()
        await execute(statements.advance, (notification.sequence, notification.subject))
        await execute(statements.release, ())
    except BaseException:
        with suppress(Exception):
            await execute(statements.rollback, ())
            await execute(statements.release, ())
        raise
    return "applied"


def _ask_for_transaction(cursor: Cursor) -> None:
    """Raises if the driver reports that no transaction is open: sqlite3 has `in_transaction`,
    psycopg has a status (0 is idle).
    """
    connection = getattr(cursor, "connection", None)
    status = getattr(getattr(connection, "info", None), "transaction_status", None)
    if getattr(connection, "in_transaction", None) is False or status == 0:
        raise ConfigurationError(
            "Begin a transaction first: this connection is in autocommit mode, "
            "but the change and its mark must be committed together."
        )
