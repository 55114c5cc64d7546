<?php

declare(strict_types=1);

namespace Tollgate\Keys;

/**
 * The subset of DER that keys use.
 *
 * @internal
 */
final class Der
{
    public const INTEGER = 0x02;
    public const BIT_STRING = 0x03;
    public const OCTET_STRING = 0x04;
    public const SEQUENCE = 0x30;

    /**
     * Parses a series of DER elements; null if the bytes are anything else.
     *
     * @return list<array{int, string}>|null each with its tag and its content
     */
    public static function elements(string $bytes): ?array
    {
        $elements = [];
        $at = 0;
        while ($at < strlen($bytes)) {
            [$length, $contentAt] = self::length($bytes, $at + 1) ?? [null, 0];
            if ($length === null || $contentAt + $length > strlen($bytes)) {
                return null;
            }
            $elements[] = [ord($bytes[$at]), substr($bytes, $contentAt, $length)];
            $at = $contentAt + $length;
        }
        return $elements;
    }

    /**
     * The elements inside the single DER sequence that these bytes encode.
     *
     * @return list<array{int, string}>|null
     */
    public static function sequence(string $bytes): ?array
    {
        $outer = self::elements($bytes) ?? [];
        return count($outer) === 1 && $outer[0][0] === self::SEQUENCE ? self::elements($outer[0][1]) : null;
    }

    public static function write(int $tag, string ...$contents): string
    {
        $content = implode('', $contents);
        return chr($tag) . self::writeLength(strlen($content)) . $content;
    }

    /** @return array{int, int}|null the length, and the start of the content */
    private static function length(string $bytes, int $at): ?array
    {
        if ($at >= strlen($bytes)) {
            return null;
        }
        $first = ord($bytes[$at]);
        if ($first < 0x80) {
            return [$first, $at + 1];
        }
        $count = $first & 0x7f;
        if ($count === 0 || $count > 3 || $at + $count >= strlen($bytes)) {
            return null;
        }
        return [(int) hexdec(bin2hex(substr($bytes, $at + 1, $count))), $at + 1 + $count];
    }

    private static function writeLength(int $length): string
    {
        if ($length < 0x80) {
            return chr($length);
        }
        $bytes = ltrim(pack('N', $length), "\0");
        return chr(0x80 | strlen($bytes)) . $bytes;
    }
}
