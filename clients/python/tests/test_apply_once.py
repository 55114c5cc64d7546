"""Runs on SQLite, and on other databases if these variables are set: TEST_POSTGRESQL_URL for
psycopg (`postgresql://…`), TEST_MYSQL_URL for PyMySQL
(`mysql://user:password@host:port/database`). The tests drop their tables.
"""

from __future__ import annotations

import importlib
import os
import sqlite3
import unittest
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tollgate_client import APPLY_ONCE_SQL, ConfigurationError, apply_once, apply_once_async
from tollgate_client.apply_once import Dialect, Outcome


@dataclass
class Told:
    sequence: int
    subject: str = "notifyPayment p-1"


class ShopClosed(Exception):
    pass


class OnSqlite(unittest.IsolatedAsyncioTestCase):
    dialect: Dialect = "sqlite"

    def connect(self, *, autocommit: bool = False) -> Any:
        return sqlite3.connect(":memory:", isolation_level=None if autocommit else "DEFERRED")

    def open(self, *, autocommit: bool = False) -> Any:
        database = self.connect(autocommit=autocommit)
        self.addCleanup(database.close)
        cursor = database.cursor()
        for table in ("tollgate_applied", "changes"):
            cursor.execute(f"drop table if exists {table}")
        cursor.execute(APPLY_ONCE_SQL[self.dialect].create_table)
        cursor.execute("create table changes (sequence bigint)")
        database.commit()
        return database

    def setUp(self) -> None:
        self.database = self.open()

    def write(self, sequence: int) -> None:
        self.database.cursor().execute(f"insert into changes values ({sequence})")

    def applied(self) -> list[int]:
        cursor = self.database.cursor()
        cursor.execute("select sequence from changes order by sequence")
        return [row[0] for row in cursor.fetchall()]

    def apply(self, told: Told) -> Outcome:
        cursor = self.database.cursor()
        return apply_once(cursor, self.dialect, told, lambda: self.write(told.sequence))

    def apply_in_vain(self, told: Told) -> None:
        """An `apply` function that fails after it has written one of two rows."""

        def apply() -> None:
            self.write(told.sequence)
            raise ShopClosed

        with self.assertRaises(ShopClosed):
            apply_once(self.database.cursor(), self.dialect, told, apply)

    def tell(self, *sequences: int, subject: str = "notifyPayment p-1") -> list[Outcome]:
        outcomes: list[Outcome] = []
        for sequence in sequences:
            outcomes.append(self.apply(Told(sequence, subject)))
            self.database.commit()
        return outcomes

    def test_duplicate_and_late_webhooks_are_skipped(self) -> None:
        news, old = "applied", "old news"
        self.assertEqual(self.tell(1, 1, 3, 2, 3, 4), [news, old, news, old, old, news])
        self.assertEqual(self.tell(2, subject="notifyPayment p-2"), [news])
        self.assertEqual(self.applied(), [1, 2, 3, 4])

    def test_a_commit_after_a_failed_change_loses_nothing(self) -> None:
        self.apply_in_vain(Told(3))
        # This shop does not roll back its transaction, so the next user of the connection commits
        # what remains in it.
        self.database.commit()
        self.assertEqual(self.applied(), [])
        self.assertEqual(self.tell(3), ["applied"])
        self.assertEqual(self.applied(), [3])

    def test_a_failed_change_leaves_nothing_in_a_transaction_that_continues(self) -> None:
        self.write(1)
        self.apply_in_vain(Told(3))
        self.assertEqual(self.tell(3), ["applied"])
        self.assertEqual(self.applied(), [1, 3])

    def test_earlier_changes_stay_when_a_later_change_fails(self) -> None:
        self.tell(3)
        self.apply_in_vain(Told(5))
        self.database.commit()
        self.assertEqual(self.tell(3, 4), ["old news", "applied"])

    def test_a_rolled_back_change_counts_as_not_applied(self) -> None:
        self.apply(Told(3))
        self.database.rollback()
        self.assertEqual(self.applied(), [])
        self.assertEqual(self.tell(3), ["applied"])

    def test_a_change_that_commits_too_early_and_fails_is_delivered_again(self) -> None:
        def apply() -> None:
            self.write(3)
            self.database.commit()
            raise ShopClosed

        with self.assertRaises(ShopClosed):
            apply_once(self.database.cursor(), self.dialect, Told(3), apply)
        self.database.rollback()
        self.assertEqual(self.tell(3), ["applied"])

    def test_an_autocommit_connection_is_rejected(self) -> None:
        self.database = self.open(autocommit=True)
        with self.assertRaisesRegex(ConfigurationError, "Begin a transaction"):
            self.apply(Told(3))
        self.assertEqual(self.applied(), [])
        # A transaction that the caller began with a `begin` statement is accepted.
        self.database.cursor().execute("begin")
        self.assertEqual(self.apply(Told(3)), "applied")

    async def test_async_drivers_behave_the_same(self) -> None:
        async def execute(sql: str, parameters: tuple[Any, ...]) -> int:
            cursor = self.database.cursor()
            cursor.execute(sql, parameters)
            return int(cursor.rowcount)

        async def fail() -> None:
            self.write(3)
            raise ShopClosed

        async def succeed() -> None:
            self.write(3)

        with self.assertRaises(ShopClosed):
            await apply_once_async(execute, self.dialect, Told(3), fail)
        self.database.commit()
        for expected in ("applied", "old news"):
            self.assertEqual(
                await apply_once_async(execute, self.dialect, Told(3), succeed), expected
            )
            self.database.commit()
        self.assertEqual(self.applied(), [3])


@unittest.skipUnless(os.environ.get("TEST_POSTGRESQL_URL"), "TEST_POSTGRESQL_URL is not set")
class OnPostgresql(OnSqlite):
    dialect: Dialect = "postgresql"

    def connect(self, *, autocommit: bool = False) -> Any:
        psycopg = importlib.import_module("psycopg")
        return psycopg.connect(os.environ["TEST_POSTGRESQL_URL"], autocommit=autocommit)

    def test_a_rejected_statement_leaves_the_transaction_usable(self) -> None:
        psycopg = importlib.import_module("psycopg")
        with self.assertRaises(psycopg.errors.DivisionByZero):
            cursor = self.database.cursor()
            apply_once(cursor, self.dialect, Told(3), lambda: cursor.execute("select 1 / 0"))
        self.assertEqual(self.tell(3), ["applied"])


@unittest.skipUnless(os.environ.get("TEST_MYSQL_URL"), "TEST_MYSQL_URL is not set")
class OnMysql(OnSqlite):
    dialect: Dialect = "mysql"

    def connect(self, *, autocommit: bool = False) -> Any:
        url = urlsplit(os.environ["TEST_MYSQL_URL"])
        return importlib.import_module("pymysql").connect(
            host=url.hostname,
            port=url.port or 3306,
            user=url.username,
            password=url.password,
            database=url.path.lstrip("/"),
            autocommit=autocommit,
        )

    def test_an_autocommit_connection_is_rejected(self) -> None:
        # The driver does not report the missing transaction, but the database rejects the savepoint
        # before anything is applied.
        self.database = self.open(autocommit=True)
        with self.assertRaisesRegex(Exception, "tollgate_apply_once does not exist"):
            self.apply(Told(3))
        self.assertEqual(self.applied(), [])
        self.database.begin()
        self.assertEqual(self.apply(Told(3)), "applied")


if __name__ == "__main__":
    unittest.main()
