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

    /** By dialect. Run it once, when you set up your database. */
    public const CREATE_TABLE = [
        'postgresql' => 'create table if not exists tollgate_applied (subject text primary key, sequence bigint not null)',
        'mysql' => 'create table if not exists tollgate_applied '
            . '(subject varchar(160) character set ascii collate ascii_bin primary key, sequence bigint not null)',
        'sqlite' => 'create table if not exists tollgate_applied (subject text primary key, sequence bigint not null)',
    ];

    /** Parameter: subject. */
    public const INSERT = [
        'postgresql' => 'insert into tollgate_applied (subject, sequence) values (?, -1) on conflict (subject) do nothing',
        // Not `insert ignore`: that locks the row for reading, and two who then want to write it wait for each other.
        'mysql' => 'insert into tollgate_applied (subject, sequence) values (?, -1) '
            . 'on duplicate key update sequence = sequence',
        'sqlite' => 'insert or ignore into tollgate_applied (subject, sequence) values (?, -1)',
    ];

    /** Parameters: sequence, subject, sequence. Changes a row only if the notification is news. */
    public const ADVANCE = 'update tollgate_applied set sequence = ? where subject = ? and sequence < ?';

    /**
     * @internal use `$notification->applyOnce(…)`
     *
     * @param \Closure(): mixed $apply
     * @return self::APPLIED|self::OLD_NEWS
     */
    public static function inPdo(\PDO $database, Notification $notification, \Closure $apply): string
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
        return self::with($dialect, $execute, $notification, $apply);
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
    public static function with(string $dialect, \Closure $execute, Notification $notification, \Closure $apply): string
    {
        $insert = self::INSERT[$dialect]
            ?? throw new ConfigurationError("There are no statements for {$dialect}: use postgresql, mysql or sqlite.");
        $execute($insert, [$notification->subject]);
        $parameters = [$notification->sequence, $notification->subject, $notification->sequence];
        if ($execute(self::ADVANCE, $parameters) === 0) {
            return self::OLD_NEWS;
        }
        $apply();
        return self::APPLIED;
    }
}
