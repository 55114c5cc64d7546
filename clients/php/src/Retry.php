<?php

declare(strict_types=1);

namespace Tollgate;

/** @internal */
final class Retry
{
    private const FIRST_DELAY_MS = 500;
    private const LONGEST_DELAY_MS = 5_000;
    /**
     * The shortest delay before a retry. It is not zero, because the next attempt must have a different time.
     */
    private const SHORTEST_DELAY_MS = 50;
    private const RETRY_AFTER_MAX_MS = 60_000;

    /**
     * Returns the delay before the next attempt; null if the gateway asks for a longer delay than the client
     * allows.
     */
    public static function delayMs(int $retriesBefore, ?int $retryAfterMs): ?int
    {
        if ($retryAfterMs !== null && $retryAfterMs > self::RETRY_AFTER_MAX_MS) {
            return null;
        }
        $longest = min(self::LONGEST_DELAY_MS, self::FIRST_DELAY_MS * 2 ** $retriesBefore);
        return max(random_int(self::SHORTEST_DELAY_MS, $longest), $retryAfterMs ?? 0);
    }

    /** Returns `Retry-After` in milliseconds; the header contains seconds or a date. */
    public static function after(?string $text, int $nowMs): ?int
    {
        if ($text === null) {
            return null;
        }
        if (preg_match('/^\d{1,9}$/D', trim($text)) === 1) {
            return (int) trim($text) * 1000;
        }
        $at = \DateTimeImmutable::createFromFormat('D, d M Y H:i:s \G\M\T', trim($text), new \DateTimeZone('UTC'));
        return $at === false ? null : max(0, $at->getTimestamp() * 1000 - $nowMs);
    }
}
