<?php

declare(strict_types=1);

namespace Tollgate;

use Psr\Log\LoggerInterface;
use Tollgate\Generated\Operations;

/**
 * Tells what happens to whoever wants to know, without what must not be written down.
 *
 * @internal
 */
final class Log
{
    private const HIDDEN = '[hidden]';
    private const SECRET_NAMES = '/token|secret|password|cvv|cvc|cardno|cardnumber|authcode|privatekey/i';

    /** @var (\Closure(LogEntry): void)|null */
    private readonly ?\Closure $write;

    public function __construct(\Closure|LoggerInterface|null $logger)
    {
        $this->write = !$logger instanceof LoggerInterface ? $logger : static fn (LogEntry $entry) => $logger->log(
            $entry->event === LogEntry::WARNING ? 'warning' : 'debug',
            $entry->sentence(),
            $entry->context(),
        );
    }

    public function isOn(): bool
    {
        return $this->write !== null;
    }

    /** A log that fails must not make a payment fail. */
    public function write(LogEntry $entry): void
    {
        try {
            ($this->write ?? static fn () => null)($entry);
        } catch (\Throwable) {
            // There is nobody left to tell.
        }
    }

    public static function isSecret(string $name): bool
    {
        return in_array($name, Operations::SECRET_FIELDS, true) || preg_match(self::SECRET_NAMES, $name) === 1;
    }

    /** A copy without what must not be written down. */
    public static function redacted(mixed $value): mixed
    {
        if ($value instanceof \JsonSerializable || $value instanceof \stdClass) {
            $value = json_decode(Json::encode($value), true);
        }
        if (!is_array($value)) {
            return $value;
        }
        $copy = [];
        foreach ($value as $name => $each) {
            $copy[$name] = self::isSecret((string) $name) ? self::HIDDEN : self::redacted($each);
        }
        return $copy;
    }
}
