"""Applies what a notification tells once, and never something older over something newer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Literal, NamedTuple, Protocol

from .errors import ConfigurationError

Dialect = Literal["postgresql", "mysql", "sqlite"]
Outcome = Literal["applied", "old news"]


class Statements(NamedTuple):
    """The SQL of one kind of database."""

    create_table: str
    """Run once, when you set up your database."""
    insert: str
    """Parameter: subject."""
    claim: str
    """Parameters: subject, sequence. Changes the row, and so locks it, only if the notification is news."""
    advance: str
    """Parameters: sequence, subject."""
    savepoint: str = "savepoint tollgate_apply_once"
    """The last three go around what is done with it, so that a failure leaves nothing of it."""
    rollback: str = "rollback to savepoint tollgate_apply_once"
    release: str = "release savepoint tollgate_apply_once"


def _statements(text: str, insert: str, place: str) -> Statements:
    return Statements(
        # MySQL counts only rows in which something is different afterwards: that is what `claims` is for.
        create_table="create table if not exists tollgate_applied "
        f"(subject {text} primary key, sequence bigint not null, claims bigint not null default 0)",
        insert=insert,
        claim="update tollgate_applied set claims = claims + 1 "
        f"where subject = {place} and sequence < {place}",
        advance=f"update tollgate_applied set sequence = {place} where subject = {place}",
    )


#: The newest change of each record that was applied, with the placeholders of the usual drivers: psycopg,
#: PyMySQL or mysqlclient, and sqlite3. The same statements are in every library.
APPLY_ONCE_SQL: dict[Dialect, Statements] = {
    "postgresql": _statements(
        "text",
        "insert into tollgate_applied (subject, sequence) values (%s, -1) "
        "on conflict (subject) do nothing",
        "%s",
    ),
    "mysql": _statements(
        "varchar(160) character set ascii collate ascii_bin",
        # Not `insert ignore`: that locks the row for reading, and two who then want to write it wait for each other.
        "insert into tollgate_applied (subject, sequence) values (%s, -1) on duplicate key update sequence = sequence",
        "%s",
    ),
    "sqlite": _statements(
        "text", "insert or ignore into tollgate_applied (subject, sequence) values (?, -1)", "?"
    ),
}


class Told(Protocol):
    """A notification, or what you have kept of one."""

    @property
    def subject(self) -> str: ...

    @property
    def sequence(self) -> int: ...


class Cursor(Protocol):
    """A cursor as every database driver of Python has it (PEP 249)."""

    @property
    def rowcount(self) -> int: ...

    def execute(self, sql: str, parameters: Any, /) -> Any: ...


def apply_once(
    cursor: Cursor, dialect: Dialect, notification: Told, apply: Callable[[], object]
) -> Outcome:
    """Runs `apply` only if the notification is newer than what was applied before.

    Notifications may come twice, and may overtake each other. The cursor belongs to a transaction that you
    began and will commit: what `apply` writes has to be in the same one. Acknowledge both outcomes.

    When `apply` raises, so does this, and nothing of it is left in the transaction, neither what it had written
    by then nor the mark that it was applied: whatever becomes of the transaction, the next delivery is news.
    """
    statements = APPLY_ONCE_SQL[dialect]
    # The first statement, because with it most drivers begin the transaction.
    cursor.execute(statements.insert, (notification.subject,))
    _ask_for_transaction(cursor)
    cursor.execute(statements.savepoint, ())
    # Outside of a transaction MySQL forgets a savepoint without a word: then this fails.
    cursor.execute(statements.rollback, ())
    cursor.execute(statements.claim, (notification.subject, notification.sequence))
    if cursor.rowcount == 0:
        cursor.execute(statements.release, ())
        return "old news"
    try:
        apply()
        # Last, so that what commits too early in the middle of `apply` does not commit the mark as well.
        cursor.execute(statements.advance, (notification.sequence, notification.subject))
        cursor.execute(statements.release, ())
    except BaseException:
        # When the connection or the whole transaction is lost there is nothing to undo.
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
    """The same for drivers that do not wait: `execute` runs a statement, and says how many rows it changed."""
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
    """Drivers that can tell are asked: sqlite3 has `in_transaction`, psycopg has a status, whose 0 is idle."""
    connection = getattr(cursor, "connection", None)
    status = getattr(getattr(connection, "info", None), "transaction_status", None)
    if getattr(connection, "in_transaction", None) is False or status == 0:
        raise ConfigurationError(
            "Begin a transaction first: this connection commits by itself after every statement (autocommit), "
            "but what is applied and that it was applied have to be written together."
        )
