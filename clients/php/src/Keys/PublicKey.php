<?php

declare(strict_types=1);

namespace Tollgate\Keys;

use Tollgate\Errors\InvalidKeyError;

/** A public key that verifies signatures. */
final class PublicKey
{
    private function __construct(
        private readonly \OpenSSLAsymmetricKey $key,
        /** SubjectPublicKeyInfo, in DER. */
        public readonly string $spki,
        public readonly int $signatureBytes,
    ) {
    }

    /** PEM or bare base64, SubjectPublicKeyInfo or PKCS#1. */
    public static function of(string $text): self
    {
        $read = KeyText::public($text);
        $key = openssl_pkey_get_public(KeyText::pem('PUBLIC KEY', $read->spki));
        if ($key === false) {
            throw new InvalidKeyError(InvalidKeyError::NOT_A_KEY, false);
        }
        return new self($key, $read->spki, intdiv($read->bits + 7, 8));
    }

    public function verify(string $text, string $signature): bool
    {
        return openssl_verify($text, $signature, $this->key, OPENSSL_ALGO_SHA256) === 1;
    }
}
