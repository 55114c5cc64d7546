<?php

declare(strict_types=1);

namespace Tollgate\Webhooks;

use Tollgate\Errors\MalformedResponseError;
use Tollgate\Generated\Notifications;
use Tollgate\Json;
use Tollgate\Models\Model;
use Tollgate\Models\UnknownNotification;

/** The content of a webhook, or of an event in the feed. The class of `body` shows its kind. */
abstract class Told
{
    /**
     * The kind of webhook, such as `notifyPayment`; `unknown` if this version of the library has no type for
     * it.
     */
    public readonly string $kind;
    /** Such as a `Tollgate\Models\PaymentNotification`. */
    public readonly Model $body;
    /** The record that changed: see `applyOnce`. */
    public readonly string $subject;
    /** The number of the record's change. A higher number is newer. */
    public readonly int $sequence;

    /** @param string $raw the JSON of the body, byte for byte */
    protected function __construct(string $raw)
    {
        $fields = Json::decodeObject($raw)
            ?? throw new MalformedResponseError('The webhook is signed, but it is not a JSON object.');
        $facts = self::facts($fields);
        $subject = $facts['subjectField'] ?? null;
        $id = $subject === null ? null : $fields->{$subject} ?? null;
        $sequence = $fields->sequence ?? null;
        $class = $facts['class'] ?? UnknownNotification::class;
        $this->kind = $facts['kind'] ?? 'unknown';
        $this->body = $class::fromObject($fields);
        // A body without a record id is its own subject, so that only identical bodies are duplicates.
        $this->subject = $this->kind . ' ' . (is_string($id) ? $id : hash('sha256', $raw));
        $this->sequence = is_int($sequence) ? $sequence : 0;
    }

    /**
     * Runs `$apply` only if the webhook is newer than the last applied change of its record, because webhooks
     * can arrive twice and out of order. `$database` must be in a transaction that you began and will commit.
     * Acknowledge the webhook whether or not it was applied. If `$apply` throws, this method throws the same
     * error and rolls back everything that `$apply` wrote, and the mark that the change was applied. The
     * table is in `ApplyOnce::CREATE_TABLE`; other database layers use `ApplyOnce::with`.
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
