<?php

declare(strict_types=1);

namespace Tollgate\Keys;

/** @internal */
final class Base64
{
    /** Decodes strict base64; null if the text has other characters or nonzero unused bits. */
    public static function decode(string $text): ?string
    {
        if (preg_match('~^[A-Za-z0-9+/]*={0,2}$~D', $text) !== 1) {
            return null;
        }
        $bytes = base64_decode($text, true);
        if ($bytes === false || rtrim(base64_encode($bytes), '=') !== rtrim($text, '=')) {
            return null;
        }
        return $bytes;
    }
}
