<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Errors\ConfigurationError;
use Tollgate\Signing\WireTime;

/** Times of the API. Models keep the text, so parsing loses nothing. */
final class Time
{
    /** Parses a time of a response or webhook, such as `2026-11-15T09:30:07+00:00`. */
    public static function parse(string $text): \DateTimeImmutable
    {
        $atMs = WireTime::parse($text) ?? throw new ConfigurationError('Invalid time: ' . json_encode($text));
        $at = \DateTimeImmutable::createFromFormat('U.v', sprintf('%d.%03d', intdiv($atMs, 1000), $atMs % 1000));
        assert($at !== false);
        return $at;
    }

    /** Formats a time for the API: whole seconds and a numeric offset. */
    public static function format(\DateTimeInterface $at): string
    {
        return $at->format('Y-m-d\TH:i:sP');
    }
}
