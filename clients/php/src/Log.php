<?php

declare(strict_types=1);

namespace Tollgate;

use Psr\Log\LoggerInterface;
use Tollgate\Errors\ConfigurationError;
use Tollgate\Generated\Operations;

/**
 * Reports events to the logger, without the fields that must not be logged.
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
        $logger ??= self::ofEnvironment();
        $this->write = !$logger instanceof LoggerInterface ? $logger : static fn (LogEntry $entry) => $logger->log(
            $entry->event === LogEntry::WARNING ? 'warning' : 'debug',
            $entry->sentence(),
            $entry->context(),
        );
    }

    /**
     * Writes lines to standard error at the level of `TOLLGATE_LOG`, so that you can debug without a code
     * change.
     */
    private static function ofEnvironment(): ?\Closure
    {
        $level = Settings::fromEnvironment('LOG');
        if ($level === null) {
            return null;
        }
        $levels = ['debug' => 0, 'info' => 1, 'warn' => 2];
        $from = $levels[$level]
            ?? throw new ConfigurationError("TOLLGATE_LOG must be debug, info or warn, not {$level}.");
        $levelOf = [LogEntry::REQUEST => 0, LogEntry::RESPONSE => 1];
        return static function (LogEntry $entry) use ($from, $levelOf): void {
            if (($levelOf[$entry->event] ?? 2) >= $from) {
                $facts = json_encode($entry->context(), JSON_UNESCAPED_SLASHES | JSON_PARTIAL_OUTPUT_ON_ERROR);
                file_put_contents('php://stderr', "tollgate {$entry->event} {$facts}\n");
            }
        };
    }

    public function isOn(): bool
    {
        return $this->write !== null;
    }

    /** A logger that throws must not make a payment fail. */
    public function write(LogEntry $entry): void
    {
        try {
            ($this->write ?? static fn () => null)($entry);
        } catch (\Throwable) {
            // The error is ignored, because it cannot be reported anywhere.
        }
    }

    public static function isSecret(string $name): bool
    {
        return in_array($name, Operations::SECRET_FIELDS, true) || preg_match(self::SECRET_NAMES, $name) === 1;
    }

    /** A copy without the fields that must not be logged. */
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
