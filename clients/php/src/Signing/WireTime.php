<?php

declare(strict_types=1);

namespace Tollgate\Signing;

/** @internal */
final class WireTime
{
    private const FORM =
        '/^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):?([0-5]\d))$/D';

    /** Parses a time header to milliseconds since 1970: 13 digits, or ISO 8601 with a time zone. */
    public static function parse(string $text): ?int
    {
        if (preg_match('/^\d{13}$/D', $text) === 1) {
            return (int) $text;
        }
        if (preg_match(self::FORM, $text, $match) !== 1) {
            return null;
        }
        [, $year, $month, $day, $hour, $minute, $second, $fraction, $sign, $zoneHours, $zoneMinutes] =
            array_pad($match, 11, '');
        $offset = ((int) $zoneHours * 60 + (int) $zoneMinutes) * ($sign === '-' ? -1 : 1);
        if (!checkdate((int) $month, (int) $day, (int) $year) || abs($offset) > 14 * 60) {
            return null;
        }
        $atSecond = gmmktime((int) $hour, (int) $minute, (int) $second, (int) $month, (int) $day, (int) $year);
        return ($atSecond - $offset * 60) * 1000 + (int) str_pad(substr($fraction, 0, 3), 3, '0');
    }

    /** Formats a time like the gateway: whole seconds and a numeric offset. */
    public static function write(int $epochMs): string
    {
        return gmdate('Y-m-d\TH:i:s', intdiv($epochMs, 1000)) . '+00:00';
    }
}
