<?php

declare(strict_types=1);

namespace Tollgate\Webhooks;

use Tollgate\Errors\MalformedResponseError;
use Tollgate\Generated\Notifications;
use Tollgate\Json;
use Tollgate\Models\Model;
use Tollgate\Models\UnknownNotification;

/** What was told, by a notification or in the feed. The class of `body` says what it tells of. */
abstract class Told
{
    /** `notifyPayment` and so on; `unknown` is one that this version of the library has no type for. */
    public readonly string $kind;
    /** Such as a `Tollgate\Models\PaymentNotification`. */
    public readonly Model $body;
    /** The record that it tells of: see `applyOnce`. */
    public readonly string $subject;
    /** Which of the record's changes: a higher one is newer. */
    public readonly int $sequence;

    /** @param string $raw the JSON that was told, to the byte */
    protected function __construct(string $raw)
    {
        $fields = Json::decodeObject($raw)
            ?? throw new MalformedResponseError('The notification is signed, but it is not a JSON object.');
        $facts = self::facts($fields);
        $subject = $facts['subjectField'] ?? null;
        $id = $subject === null ? null : $fields->{$subject} ?? null;
        $sequence = $fields->sequence ?? null;
        $class = $facts['class'] ?? UnknownNotification::class;
        $this->kind = $facts['kind'] ?? 'unknown';
        $this->body = $class::fromObject($fields);
        // What names no record is a record of its own: the same words are then applied once.
        $this->subject = $this->kind . ' ' . (is_string($id) ? $id : hash('sha256', $raw));
        $this->sequence = is_int($sequence) ? $sequence : 0;
    }

    /**
     * Runs `$apply` only if this tells something newer than what was applied before, in the transaction that you began
     * on `$database` and will commit: notifications may come twice, and may overtake each other. Acknowledge both
     * outcomes. When `$apply` throws, so does this, and nothing of it is left in the transaction, neither what it had
     * written by then nor the mark that it was applied. The table is in `ApplyOnce::CREATE_TABLE`; other database layers
     * use `ApplyOnce::with`.
     *
     * @param \Closure(): mixed $apply
     * @return string `ApplyOnce::APPLIED` or `ApplyOnce::OLD_NEWS`
     */
    public function applyOnce(\PDO $database, \Closure $apply): string
    {
        return ApplyOnce::inPdo($database, $this, $apply);
    }

    /** @return value-of<Notifications::FACTS>|null */
    private static function facts(\stdClass $fields): ?array
    {
        $type = $fields->notifyType ?? null;
        $names = array_keys(get_object_vars($fields));
        foreach (Notifications::FACTS as $facts) {
            $isIt = is_string($type)
                ? in_array($type, $facts['notifyTypes'], true)
                : $facts['notifyTypes'] === [] && array_diff($facts['requiredFields'], $names) === [];
            if ($isIt) {
                return $facts;
            }
        }
        return null;
    }
}
