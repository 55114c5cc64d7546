<?php

declare(strict_types=1);

namespace Tollgate;

/** A log entry. It contains no secrets. */
final class LogEntry
{
    public const WARNING = 'warning';
    public const REQUEST = 'request';
    public const RESPONSE = 'response';
    public const RETRY = 'retry';

    public function __construct(
        /** One of the constants. */
        public readonly string $event,
        /** Only for a warning. */
        public readonly ?string $message = null,
        public readonly ?string $operation = null,
        public readonly ?string $requestId = null,
        public readonly ?string $traceId = null,
        public readonly ?int $attempt = null,
        public readonly ?int $durationMs = null,
        public readonly ?int $delayMs = null,
        /** The result code, or the name of the error. */
        public readonly ?string $outcome = null,
        /** The request body, without its secrets. */
        public readonly mixed $body = null,
    ) {
    }

    /** Returns a line for people, such as `payments/pay order-7: SUCCESS after 31 ms`. */
    public function sentence(): string
    {
        $what = trim("{$this->operation} {$this->requestId}");
        return match ($this->event) {
            self::REQUEST => "{$what}: sent",
            self::RESPONSE => "{$what}: {$this->outcome} after {$this->durationMs} ms",
            self::RETRY => "{$what}: {$this->outcome}, attempt {$this->attempt} in {$this->delayMs} ms",
            default => (string) $this->message,
        };
    }

    /** @return array<string, mixed> the fields that are set, by name */
    public function context(): array
    {
        return array_filter(get_object_vars($this), static fn (mixed $value): bool => $value !== null);
    }
}
