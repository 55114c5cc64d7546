<?php

declare(strict_types=1);

namespace Tollgate\Webhooks;

use Tollgate\Generated\Notifications;
use Tollgate\Models\Model;
use Tollgate\Models\UnknownNotification;
use Tollgate\Signing\Verified;

/** A notification whose signature holds. The class of `body` says what it tells of. */
final class Notification
{
    private function __construct(
        /** `notifyPayment` and so on; `unknown` is one that this version of the library has no type for. */
        public readonly string $kind,
        /** Such as a `Tollgate\Models\PaymentNotification`. */
        public readonly Model $body,
        /** The record that it tells of, and which of its changes: see `applyOnce`. */
        public readonly string $subject,
        public readonly int $sequence,
        /** The same only if the very same message comes again. Every attempt of the gateway has a new one. */
        public readonly string $replayKey,
        /** The text of its time header. */
        public readonly string $time,
    ) {
    }

    /** @internal */
    public static function of(\stdClass $fields, string $raw, Verified $verified): self
    {
        $facts = self::facts($fields);
        $kind = $facts['kind'] ?? 'unknown';
        $subject = $facts['subjectField'] ?? null;
        $id = $subject === null ? null : $fields->{$subject} ?? null;
        $sequence = $fields->sequence ?? null;
        $class = $facts['class'] ?? UnknownNotification::class;
        return new self(
            kind: $kind,
            body: $class::fromObject($fields),
            // What names no record is a record of its own: the same words are then applied once.
            subject: $kind . ' ' . (is_string($id) ? $id : hash('sha256', $raw)),
            sequence: is_int($sequence) ? $sequence : 0,
            replayKey: $verified->replayKey,
            time: $verified->time,
        );
    }

    /**
     * Runs `$apply` only if this tells something newer than what was applied before, in the transaction that you began
     * on `$database` and will commit: notifications may come twice, and may overtake each other. Acknowledge both
     * outcomes. When `$apply` throws, so does this, and nothing of it is left in the transaction, neither what it had
     * written by then nor the mark that it was applied. The table is in `ApplyOnce::CREATE_TABLE`; other database layers use `ApplyOnce::with`.
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
