<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\Errors\ConfigurationError;
use Tollgate\Webhooks\ApplyOnce;
use Tollgate\Webhooks\Notification;

/**
 * Runs on SQLite, and on other databases if TEST_POSTGRESQL_DSN and TEST_MYSQL_DSN are set
 * (`pgsql:host=…;user=…`). The table is dropped first.
 */
final class ApplyOnceTest extends TestCase
{
    /** @dataProvider databases */
    public function testADuplicateWebhookIsAppliedOnce(\PDO $database): void
    {
        self::assertSame(['applied', 'old news'], self::apply($database, [3, 3]));
        self::assertSame([3], self::appliedIn($database));
    }

    /** @dataProvider databases */
    public function testALateOlderWebhookIsNotApplied(\PDO $database): void
    {
        self::assertSame(['applied', 'old news', 'applied'], self::apply($database, [5, 4, 6]));
        self::assertSame([5, 6], self::appliedIn($database));
    }

    /** @dataProvider databases */
    public function testARolledBackChangeCountsAsNotApplied(\PDO $database): void
    {
        $database->beginTransaction();
        self::told(3)->applyOnce($database, fn () => self::write($database, 3));
        $database->rollBack();
        self::assertSame(['applied'], self::apply($database, [3]));
        self::assertSame([3], self::appliedIn($database));
    }

    /** @dataProvider databases */
    public function testRecordsAreIndependent(\PDO $database): void
    {
        self::assertSame(['applied'], self::apply($database, [9], '2026'));
        self::assertSame(['applied'], self::apply($database, [1], '2027'));
    }

    /** @dataProvider databases */
    public function testACommitAfterAFailedChangeLosesNothing(\PDO $database): void
    {
        $database->beginTransaction();
        $this->applyInVain($database, 3);
        // This shop does not roll back its transaction, so the next user of the connection commits what
        // remains in it.
        $database->commit();
        self::assertSame([], self::appliedIn($database));
        self::assertSame(['applied'], self::apply($database, [3]));
        self::assertSame([3], self::appliedIn($database));
    }

    /** @dataProvider databases */
    public function testAFailedChangeLeavesNothingInATransactionThatContinues(\PDO $database): void
    {
        $database->beginTransaction();
        self::write($database, 1);
        $this->applyInVain($database, 3);
        $outcome = self::told(3)->applyOnce($database, fn () => self::write($database, 3));
        $database->commit();
        self::assertSame('applied', $outcome);
        self::assertSame([1, 3], self::appliedIn($database));
    }

    /** @dataProvider databases */
    public function testEarlierChangesStayWhenALaterChangeFails(\PDO $database): void
    {
        self::apply($database, [3]);
        $database->beginTransaction();
        $this->applyInVain($database, 5);
        $database->commit();
        self::assertSame(['old news', 'applied'], self::apply($database, [3, 4]));
    }

    /** @dataProvider databases */
    public function testAChangeThatCommitsTooEarlyAndFailsIsDeliveredAgain(\PDO $database): void
    {
        $database->beginTransaction();
        try {
            self::told(3)->applyOnce($database, static function () use ($database): never {
                $database->commit();
                throw new \DomainException('There is no such order.');
            });
            self::fail('It did not fail.');
        } catch (\DomainException) {
            self::assertSame(['applied'], self::apply($database, [3]));
        }
    }

    /** @dataProvider databases */
    public function testATransactionIsRequired(\PDO $database): void
    {
        $this->expectException(ConfigurationError::class);
        $this->expectExceptionMessage('Begin a transaction first');
        self::told(1)->applyOnce($database, fn () => self::fail('It was applied.'));
    }

    /** @dataProvider databases */
    public function testOtherDatabaseLayersRequireATransaction(\PDO $database): void
    {
        $dialect = self::dialectOf($database);
        if ($dialect === 'sqlite') {
            self::markTestSkipped('Here a savepoint is a transaction: all of it is written together, or nothing.');
        }
        $execute = static function (string $sql, array $parameters) use ($database): int {
            $statement = $database->prepare($sql);
            $statement->execute($parameters);
            return $statement->rowCount();
        };
        $this->expectException(\PDOException::class);
        ApplyOnce::with($dialect, $execute, self::told(1), fn () => self::fail('It was applied.'));
    }

    public function testAnotherDatabaseLayerIsSupported(): void
    {
        $statements = [];
        $execute = function (string $sql, array $parameters) use (&$statements): int {
            $statements[] = [$sql, $parameters];
            return 1;
        };
        self::assertSame('applied', ApplyOnce::with('mysql', $execute, self::told(3), fn () => null));
        self::assertStringContainsString('on duplicate key update', $statements[0][0]);
        $order = ['insert', 'savepoint', 'rollback', 'update', 'update', 'release'];
        self::assertSame($order, array_map(fn (array $each): string => strtok($each[0], ' '), $statements));
        self::assertSame(['notifyPayment 2026', 3], $statements[3][1]);
        self::assertSame([3, 'notifyPayment 2026'], $statements[4][1]);
        $this->expectExceptionMessage('Unknown dialect oracle');
        ApplyOnce::with('oracle', $execute, self::told(3), fn () => null);
    }

    /** @return array<string, array{\PDO}> */
    public static function databases(): array
    {
        $given = ['sqlite' => 'sqlite::memory:', 'postgresql' => getenv('TEST_POSTGRESQL_DSN'), 'mysql' => getenv('TEST_MYSQL_DSN')];
        $databases = [];
        foreach (array_filter($given) as $dialect => $dsn) {
            $database = new \PDO($dsn);
            $database->exec('drop table if exists tollgate_applied');
            $database->exec('drop table if exists applied_changes');
            $database->exec(ApplyOnce::CREATE_TABLE[$dialect]);
            $database->exec('create table applied_changes (sequence bigint)');
            $databases[$dialect] = [$database];
        }
        return $databases;
    }

    protected function tearDown(): void
    {
        [$database] = $this->getProvidedData() + [null];
        $database?->exec('delete from tollgate_applied');
        $database?->exec('delete from applied_changes');
    }

    /**
     * @param list<int> $sequences
     * @return list<string>
     */
    private static function apply(\PDO $database, array $sequences, string $paymentId = '2026'): array
    {
        return array_map(static function (int $sequence) use ($database, $paymentId): string {
            $database->beginTransaction();
            $outcome = self::told($sequence, $paymentId)->applyOnce($database, fn () => self::write($database, $sequence));
            $database->commit();
            return $outcome;
        }, $sequences);
    }

    /** An `apply` function that fails after it has written one of two rows. */
    private function applyInVain(\PDO $database, int $sequence): void
    {
        try {
            self::told($sequence)->applyOnce($database, static function () use ($database, $sequence): never {
                self::write($database, $sequence);
                throw new \DomainException('There is no such order.');
            });
            self::fail('It did not fail.');
        } catch (\DomainException) {
        }
    }

    private static function dialectOf(\PDO $database): string
    {
        $driver = $database->getAttribute(\PDO::ATTR_DRIVER_NAME);
        return $driver === 'pgsql' ? 'postgresql' : $driver;
    }

    private static function write(\PDO $database, int $sequence): void
    {
        $database->prepare('insert into applied_changes values (?)')->execute([$sequence]);
    }

    /** @return list<int> */
    private static function appliedIn(\PDO $database): array
    {
        return $database->query('select sequence from applied_changes order by sequence')->fetchAll(\PDO::FETCH_COLUMN);
    }

    private static function told(int $sequence, string $paymentId = '2026'): Notification
    {
        $webhooks = (new Shop())->client->webhooks;
        $body = Mail::paid($paymentId, $sequence);
        return $webhooks->construct('/notify', $webhooks->sign('/notify', $body, Shop::gatewayKeys()->privateKey), $body);
    }
}
