<?php

declare(strict_types=1);

namespace Tollgate\Keys;

use Tollgate\Errors\InvalidKeyError;

/** A private key for signing. It is parsed once, and its text never appears in a dump. */
final class PrivateKey
{
    private function __construct(
        private readonly \OpenSSLAsymmetricKey $key,
        /** SubjectPublicKeyInfo of the public key, in DER. */
        public readonly string $spki,
    ) {
    }

    /** PEM or bare base64, PKCS#8 or PKCS#1; line ends may be written as `\n`, as in .env files. */
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
