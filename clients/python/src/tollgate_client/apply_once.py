"""Applies what a notification tells once, and never something older over something newer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, NamedTuple, Protocol

Dialect = Literal["postgresql", "mysql", "sqlite"]
Outcome = Literal["applied", "old news"]


class Statements(NamedTuple):
    create_table: str
    """Run once, when you set up your database."""
    insert: str
    """Parameter: subject."""
    advance: str
    """Parameters: sequence, subject, sequence. Changes a row only if the notification is news."""


def _statements(text: str, insert: str, place: str) -> Statements:
    return Statements(
        create_table="create table if not exists tollgate_applied "
        f"(subject {text} primary key, sequence bigint not null)",
        insert=insert,
        advance=f"update tollgate_applied set sequence = {place} "
        f"where subject = {place} and sequence < {place}",
    )


#: The newest change of each record that was applied, with the placeholders of the usual drivers: psycopg,
#: PyMySQL or mysqlclient, and sqlite3. The same three statements are in every library.
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
    """
    statements = APPLY_ONCE_SQL[dialect]
    cursor.execute(statements.insert, (notification.subject,))
    cursor.execute(statements.advance, _news(notification))
    if cursor.rowcount == 0:
        return "old news"
    apply()
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
    if await execute(statements.advance, _news(notification)) == 0:
        return "old news"
    await apply()
    return "applied"


def _news(notification: Told) -> tuple[int, str, int]:
    return notification.sequence, notification.subject, notification.sequence
