<?php

declare(strict_types=1);

namespace Tollgate\Webhooks;

use Tollgate\Errors\ConfigurationError;

/**
 * Applies each webhook once, and never an older change after a newer one: webhooks can arrive twice and out
 * of order. A table of your own database stores the newest applied change of each record.
 */
final class ApplyOnce
{
    public const APPLIED = 'applied';
    public const OLD_NEWS = 'old news';

    // Every claim changes the column `claims`, because MySQL counts only rows whose values change.
    private const COLUMNS = 'primary key, sequence bigint not null, claims bigint not null default 0)';

    /** The statement that creates the table, by dialect. Run it once, when you set up your database. */
    public const CREATE_TABLE = [
        'postgresql' => 'create table if not exists tollgate_applied (subject text ' . self::COLUMNS,
        'mysql' => 'create table if not exists tollgate_applied (subject varchar(160) character set ascii collate ascii_bin '
            . self::COLUMNS,
        'sqlite' => 'create table if not exists tollgate_applied (subject text ' . self::COLUMNS,
    ];

    /** Parameter: subject. */
    public const INSERT = [
        'postgresql' => 'insert into tollgate_applied (subject, sequence) values (?, -1) on conflict (subject) do nothing',
        // `insert ignore` would take a shared lock on the row, and two transactions that then update the row
        // would deadlock.
        'mysql' => 'insert into tollgate_applied (subject, sequence) values (?, -1) '
            . 'on duplicate key update sequence = sequence',
        'sqlite' => 'insert or ignore into tollgate_applied (subject, sequence) values (?, -1)',
    ];

    /**
     * A statement with the parameters subject and sequence. It updates the row, and so locks it, only if the
     * sequence is newer.
     */
    public const CLAIM = 'update tollgate_applied set claims = claims + 1 where subject = ? and sequence < ?';

    /** Parameters: sequence, subject. */
    public const ADVANCE = 'update tollgate_applied set sequence = ? where subject = ?';

    /** The savepoint around `apply`, so that a failure rolls back everything that it wrote. */
    public const SAVEPOINT = 'savepoint tollgate_apply_once';
    public const ROLLBACK = 'rollback to savepoint tollgate_apply_once';
    public const RELEASE = 'release savepoint tollgate_apply_once';

    /**
     * @internal use `applyOnce` of a webhook or an event
     *
     * @param \Closure(): mixed $apply
     * @return self::APPLIED|self::OLD_NEWS
     */
    public static function inPdo(\PDO $database, Told $told, \Closure $apply): string
    {
        if (!$database->inTransaction()) {
            throw new ConfigurationError(
                'Begin a transaction first: the change and its mark must be committed together.',
            );
        }
        $driver = $database->getAttribute(\PDO::ATTR_DRIVER_NAME);
        $dialect = $driver === 'pgsql' ? 'postgresql' : $driver;
        $execute = static function (string $sql, array $parameters) use ($database): int {
            $statement = $database->prepare($sql);
            // A driver in silent error mode returns false if the statement failed, and then nothing was
            // written.
            if ($statement === false || !$statement->execute($parameters)) {
                throw new \RuntimeException('The table tollgate_applied could not be written.');
            }
            return $statement->rowCount();
        };
        return self::with($dialect, $execute, $told, $apply);
    }

    /**
     * Applies a webhook once with a database layer other than PDO: `$execute` runs a statement in your
     * transaction and returns the number of changed rows.
     *
     * @param string $dialect `postgresql`, `mysql` or `sqlite`
     * @param \Closure(string, list<string|int>): int $execute
     * @param \Closure(): mixed $apply
     * @return self::APPLIED|self::OLD_NEWS
     */
    public static function with(string $dialect, \Closure $execute, Told $told, \Closure $apply): string
    {
        $insert = self::INSERT[$dialect]
            ?? throw new ConfigurationError("Unknown dialect {$dialect}: use postgresql, mysql or sqlite.");
        $execute($insert, [$told->subject]);
        $execute(self::SAVEPOINT, []);
        // Outside a transaction PostgreSQL rejects a savepoint, but MySQL silently drops it. In that case
        // this rollback to the savepoint fails.
        $execute(self::ROLLBACK, []);
        if ($execute(self::CLAIM, [$told->subject, $told->sequence]) === 0) {
            $execute(self::RELEASE, []);
            return self::OLD_NEWS;
        }
        try {
            $apply();
            // The mark is written last, so that a commit inside `apply` does not commit the mark as well.
            $execute(self::ADVANCE, [$told->sequence, $told->subject]);
            $execute(self::RELEASE, []);
        } catch (\Throwable $error) {
            self::undo($execute);
            throw $error;
        }
        return self::APPLIED;
    }

    /**
     * If the connection or the whole transaction is lost, there is nothing to undo. The first error is the
     * one to report.
     *
     * @param \Closure(string, list<string|int>): int $execute
     */
    private static function undo(\Closure $execute): void
    {
        try {
            $execute(self::ROLLBACK, []);
            $execute(self::RELEASE, []);
        } catch (\Throwable) {
        }
    }
}
