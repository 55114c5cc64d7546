<?php

declare(strict_types=1);

namespace Tollgate\Signing;

use Tollgate\Errors\SignatureVerificationError as Problem;
use Tollgate\Keys\Base64;

/**
 * The header with the signature.
 *
 * @internal
 */
final class SignatureHeader
{
    private function __construct(
        public readonly int $keyVersion,
        /** The signature as percent-encoded base64. It is decoded when the key is known. */
        private readonly string $signature,
    ) {
    }

    /** Writes the header in a fixed order and without blanks, because some parsers depend on the position. */
    public static function write(int $keyVersion, string $signature): string
    {
        return "algorithm=RSA256,keyVersion={$keyVersion},signature=" . rawurlencode(base64_encode($signature));
    }

    /**
     * Parses the header. It accepts parameters in any order, names in any case, with or without blanks.
     *
     * @param list<string> $values
     * @return self|string the header, or the reason why it is invalid
     */
    public static function read(array $values): self|string
    {
        if (trim($values[0] ?? '') === '') {
            return Problem::MISSING_SIGNATURE;
        }
        $parameters = count($values) === 1 ? self::parameters($values[0]) : null;
        $version = $parameters['keyversion'] ?? '1';
        $isWhole = isset($parameters['algorithm']) && ($parameters['signature'] ?? '') !== '';
        if (!$isWhole || preg_match('/^\d{1,9}$/D', $version) !== 1) {
            return Problem::MALFORMED_SIGNATURE;
        }
        if ($parameters['algorithm'] !== 'RSA256') {
            return Problem::UNSUPPORTED_ALGORITHM;
        }
        return new self((int) $version, $parameters['signature']);
    }

    /**
     * Decodes the signature; null if it is invalid. Accepts both base64 alphabets, with or without
     * percent-encoding and padding.
     */
    public function decoded(): ?string
    {
        if (preg_match('~^(?:[A-Za-z0-9+/_=-]|%[0-9A-Fa-f]{2})+$~D', $this->signature) !== 1) {
            return null;
        }
        // rawurldecode keeps `+`; urldecode would change it to a blank.
        $base64 = strtr(rawurldecode($this->signature), '-_', '+/');
        $bare = preg_replace('/={1,2}$/D', '', $base64);
        return Base64::decode($bare . str_repeat('=', (4 - strlen($bare) % 4) % 4));
    }

    /** @return array<string, string>|null */
    private static function parameters(string $value): ?array
    {
        $parameters = [];
        foreach (explode(',', $value) as $item) {
            [$name, $text] = array_pad(explode('=', $item, 2), 2, null);
            $name = strtolower(trim((string) $name));
            if ($name === '' || $text === null || isset($parameters[$name])) {
                return null;
            }
            $parameters[$name] = trim($text);
        }
        return $parameters;
    }
}
