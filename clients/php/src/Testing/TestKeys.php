<?php

declare(strict_types=1);

namespace Tollgate\Testing;

/** A new key pair for tests, in PEM. */
final class TestKeys
{
    private function __construct(
        public readonly string $privateKey,
        public readonly string $publicKey,
    ) {
    }

    public static function make(): self
    {
        $key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_RSA, 'private_key_bits' => 2048]);
        if ($key === false || !openssl_pkey_export($key, $privateKey)) {
            throw new \RuntimeException('OpenSSL could not create keys: ' . openssl_error_string());
        }
        return new self($privateKey, openssl_pkey_get_details($key)['key']);
    }
}
