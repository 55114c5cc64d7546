<?php

declare(strict_types=1);

namespace Tollgate\Keys;

use Tollgate\Errors\InvalidKeyError;

/**
 * Reads PEM or bare base64, PKCS#8, PKCS#1 or SubjectPublicKeyInfo. The bytes determine the format, not the
 * PEM label.
 *
 * @internal
 */
final class KeyText
{
    public const BITS_MIN = 2048;
    public const BITS_MAX = 4096;

    /** 1.2.840.113549.1.1.1 */
    private const RSA_ENCRYPTION = "\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01";

    private function __construct(
        public readonly bool $isPrivate,
        public readonly int $bits,
        /** SubjectPublicKeyInfo of the public key. */
        public readonly string $spki,
        /** PKCS#8; empty for a public key. */
        public readonly string $pkcs8,
    ) {
    }

    public static function private(#[\SensitiveParameter] string $text): self
    {
        return self::read($text, true);
    }

    public static function public(string $text): self
    {
        return self::read($text, false);
    }

    public static function pem(string $label, #[\SensitiveParameter] string $der): string
    {
        return "-----BEGIN {$label}-----\n" . chunk_split(base64_encode($der), 64, "\n") . "-----END {$label}-----\n";
    }

    private static function read(#[\SensitiveParameter] string $text, bool $wantsPrivate): self
    {
        $key = self::find(self::der($text, $wantsPrivate), $wantsPrivate);
        if ($key->isPrivate !== $wantsPrivate) {
            $reason = $wantsPrivate
                ? InvalidKeyError::PUBLIC_INSTEAD_OF_PRIVATE
                : InvalidKeyError::PRIVATE_INSTEAD_OF_PUBLIC;
            throw new InvalidKeyError($reason, $wantsPrivate);
        }
        if ($key->bits < self::BITS_MIN || $key->bits > self::BITS_MAX) {
            throw new InvalidKeyError(InvalidKeyError::WRONG_SIZE, $wantsPrivate, $key->bits);
        }
        return $key;
    }

    private static function der(#[\SensitiveParameter] string $text, bool $isPrivate): string
    {
        $lines = str_replace(['\r', '\n'], "\n", $text);
        $plain = trim((string) preg_replace('/^\xEF\xBB\xBF/', '', $lines));
        $plain = trim((string) preg_replace('/^["\']|["\']$/D', '', $plain));
        if ($plain === '') {
            throw new InvalidKeyError(InvalidKeyError::EMPTY, $isPrivate);
        }
        if (str_contains($plain, 'ENCRYPTED')) {
            throw new InvalidKeyError(InvalidKeyError::ENCRYPTED, $isPrivate);
        }
        $isPem = preg_match('/-----BEGIN [A-Z0-9 ]+-----(.*?)-----END [A-Z0-9 ]+-----/s', $plain, $found) === 1;
        $der = Base64::decode((string) preg_replace('/\s/', '', $isPem ? $found[1] : $plain));
        if ($der === null || $der === '') {
            throw new InvalidKeyError(InvalidKeyError::NOT_BASE64, $isPrivate);
        }
        return $der;
    }

    private static function find(#[\SensitiveParameter] string $der, bool $isPrivate): self
    {
        $parts = Der::sequence($der) ?? throw new InvalidKeyError(InvalidKeyError::NOT_A_KEY, $isPrivate);
        [$first, $second, $third] = array_pad(array_column($parts, 0), 3, null);
        return match (true) {
            $first === Der::INTEGER && $second === Der::INTEGER => self::pkcs1($der, $parts, $isPrivate),
            $first === Der::INTEGER && $second === Der::SEQUENCE && $third === Der::OCTET_STRING
                => self::wrapped($parts[1][1], $parts[2][1], $isPrivate),
            $first === Der::SEQUENCE && $second === Der::BIT_STRING
                => self::wrapped($parts[0][1], substr($parts[1][1], 1), $isPrivate),
            $first === Der::SEQUENCE && $second === Der::OCTET_STRING
                => throw new InvalidKeyError(InvalidKeyError::ENCRYPTED, $isPrivate),
            $first === Der::INTEGER && $second === Der::OCTET_STRING
                => throw new InvalidKeyError(InvalidKeyError::NOT_RSA, $isPrivate),
            default => throw new InvalidKeyError(InvalidKeyError::NOT_A_KEY, $isPrivate),
        };
    }

    /** Reads PKCS#8 and SubjectPublicKeyInfo: an algorithm identifier, then PKCS#1 in a string. */
    private static function wrapped(string $algorithm, #[\SensitiveParameter] string $inside, bool $isPrivate): self
    {
        $name = (Der::elements($algorithm) ?? [])[0] ?? null;
        if ($name === null || $name[1] !== self::RSA_ENCRYPTION) {
            throw new InvalidKeyError(InvalidKeyError::NOT_RSA, $isPrivate);
        }
        $parts = Der::sequence($inside) ?? throw new InvalidKeyError(InvalidKeyError::NOT_A_KEY, $isPrivate);
        return self::pkcs1($inside, $parts, $isPrivate);
    }

    /**
     * Reads PKCS#1: two integers are a public key; a version and eight integers are a private key.
     *
     * @param list<array{int, string}> $parts
     */
    private static function pkcs1(#[\SensitiveParameter] string $pkcs1, array $parts, bool $wantsPrivate): self
    {
        $isPrivate = count($parts) >= 9;
        if (!$isPrivate && count($parts) !== 2) {
            throw new InvalidKeyError(InvalidKeyError::NOT_A_KEY, $wantsPrivate);
        }
        [$modulus, $exponent] = $isPrivate ? [$parts[1][1], $parts[2][1]] : [$parts[0][1], $parts[1][1]];
        $numbers = Der::write(
            Der::SEQUENCE,
            Der::write(Der::INTEGER, $modulus),
            Der::write(Der::INTEGER, $exponent),
        );
        $algorithm = Der::write(Der::SEQUENCE, Der::write(0x06, self::RSA_ENCRYPTION), Der::write(0x05));
        return new self(
            isPrivate: $isPrivate,
            bits: self::bits($modulus),
            spki: Der::write(Der::SEQUENCE, $algorithm, Der::write(Der::BIT_STRING, "\0", $numbers)),
            pkcs8: !$isPrivate ? '' : Der::write(
                Der::SEQUENCE,
                Der::write(Der::INTEGER, "\0"),
                $algorithm,
                Der::write(Der::OCTET_STRING, $pkcs1),
            ),
        );
    }

    private static function bits(string $integer): int
    {
        $bytes = ltrim($integer, "\0");
        return $bytes === '' ? 0 : (strlen($bytes) - 1) * 8 + strlen(decbin(ord($bytes[0])));
    }
}
