<?php

declare(strict_types=1);

namespace Tollgate\Webhooks;

use Tollgate\Errors\ConfigurationError;

/**
 * Applies each notification once, and never an older one after a newer: notifications may come twice, and may overtake
 * each other. The newest change of each record that was applied is kept in a table of your own database.
 */
final class ApplyOnce
{
    public const APPLIED = 'applied';
    public const OLD_NEWS = 'old news';

    // MySQL counts only rows in which something is different afterwards: that is what `claims` is for.
    private const COLUMNS = 'primary key, sequence bigint not null, claims bigint not null default 0)';

    /** By dialect. Run it once, when you set up your database. */
    public const CREATE_TABLE = [
        'postgresql' => 'create table if not exists tollgate_applied (subject text ' . self::COLUMNS,
        'mysql' => 'create table if not exists tollgate_applied (subject varchar(160) character set ascii collate ascii_bin '
            . self::COLUMNS,
        'sqlite' => 'create table if not exists tollgate_applied (subject text ' . self::COLUMNS,
    ];

    /** Parameter: subject. */
    public const INSERT = [
        'postgresql' => 'insert into tollgate_applied (subject, sequence) values (?, -1) on conflict (subject) do nothing',
        // Not `insert ignore`: that locks the row for reading, and two who then want to write it wait for each other.
        'mysql' => 'insert into tollgate_applied (subject, sequence) values (?, -1) '
            . 'on duplicate key update sequence = sequence',
        'sqlite' => 'insert or ignore into tollgate_applied (subject, sequence) values (?, -1)',
    ];

    /** Parameters: subject, sequence. Changes the row, and so locks it, only if the notification is news. */
    public const CLAIM = 'update tollgate_applied set claims = claims + 1 where subject = ? and sequence < ?';

    /** Parameters: sequence, subject. */
    public const ADVANCE = 'update tollgate_applied set sequence = ? where subject = ?';

    /** Around what is done with the notification, so that a failure leaves nothing of it. */
    public const SAVEPOINT = 'savepoint tollgate_apply_once';
    public const ROLLBACK = 'rollback to savepoint tollgate_apply_once';
    public const RELEASE = 'release savepoint tollgate_apply_once';

    /**
     * @internal use `applyOnce` of a notification or an event
     *
     * @param \Closure(): mixed $apply
     * @return self::APPLIED|self::OLD_NEWS
     */
    public static function inPdo(\PDO $database, Told $told, \Closure $apply): string
    {
        if (!$database->inTransaction()) {
            throw new ConfigurationError(
                'Begin a transaction before: what is applied and that it was applied have to be written together.',
            );
        }
        $driver = $database->getAttribute(\PDO::ATTR_DRIVER_NAME);
        $dialect = $driver === 'pgsql' ? 'postgresql' : $driver;
        $execute = static function (string $sql, array $parameters) use ($database): int {
            $statement = $database->prepare($sql);
            // Drivers that are told to be silent return false, and nothing was written.
            if ($statement === false || !$statement->execute($parameters)) {
                throw new \RuntimeException('The table tollgate_applied could not be written.');
            }
            return $statement->rowCount();
        };
        return self::with($dialect, $execute, $told, $apply);
    }

    /**
     * For database layers other than PDO: `$execute` runs a statement in your transaction and says how many rows it
     * changed.
     *
     * @param string $dialect `postgresql`, `mysql` or `sqlite`
     * @param \Closure(string, list<string|int>): int $execute
     * @param \Closure(): mixed $apply
     * @return self::APPLIED|self::OLD_NEWS
     */
    public static function with(string $dialect, \Closure $execute, Told $told, \Closure $apply): string
    {
        $insert = self::INSERT[$dialect]
            ?? throw new ConfigurationError("There are no statements for {$dialect}: use postgresql, mysql or sqlite.");
        $execute($insert, [$told->subject]);
        $execute(self::SAVEPOINT, []);
        // Outside of a transaction PostgreSQL refuses a savepoint, but MySQL forgets it without a word: then this fails.
        $execute(self::ROLLBACK, []);
        if ($execute(self::CLAIM, [$told->subject, $told->sequence]) === 0) {
            $execute(self::RELEASE, []);
            return self::OLD_NEWS;
        }
        try {
            $apply();
            // Last, so that what commits too early in the middle of `$apply` does not commit the mark as well.
            $execute(self::ADVANCE, [$told->sequence, $told->subject]);
            $execute(self::RELEASE, []);
        } catch (\Throwable $error) {
            self::undo($execute);
            throw $error;
        }
        return self::APPLIED;
    }

    /**
     * When the connection or the whole transaction is lost there is nothing to undo: the first error is the one to tell.
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
