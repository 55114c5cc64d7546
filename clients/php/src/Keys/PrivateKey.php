<?php

declare(strict_types=1);

namespace Tollgate\Keys;

use Tollgate\Errors\InvalidKeyError;

/** A key that signs. It is read once and never shown again. */
final class PrivateKey
{
    private function __construct(
        private readonly \OpenSSLAsymmetricKey $key,
        /** SubjectPublicKeyInfo of the public half, in DER. */
        public readonly string $spki,
    ) {
    }

    /** PEM or bare base64, PKCS#8 or PKCS#1, also with `\n` written out as in environment files. */
    public static function of(#[\SensitiveParameter] string $text): self
    {
        $read = KeyText::private($text);
        $key = openssl_pkey_get_private(KeyText::pem('PRIVATE KEY', $read->pkcs8));
        if ($key === false) {
            throw new InvalidKeyError(InvalidKeyError::NOT_A_KEY, true);
        }
        return new self($key, $read->spki);
    }

    public function sign(string $text): string
    {
        if (!openssl_sign($text, $signature, $this->key, OPENSSL_ALGO_SHA256)) {
            throw new InvalidKeyError(InvalidKeyError::NOT_A_KEY, true);
        }
        return $signature;
    }
}
