<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** An unusable key. The message says which key to provide instead. */
final class InvalidKeyError extends ConfigurationError
{
    public const EMPTY = 'EMPTY';
    public const NOT_BASE64 = 'NOT_BASE64';
    public const NOT_A_KEY = 'NOT_A_KEY';
    public const ENCRYPTED = 'ENCRYPTED';
    public const NOT_RSA = 'NOT_RSA';
    public const PUBLIC_INSTEAD_OF_PRIVATE = 'PUBLIC_INSTEAD_OF_PRIVATE';
    public const PRIVATE_INSTEAD_OF_PUBLIC = 'PRIVATE_INSTEAD_OF_PUBLIC';
    public const WRONG_SIZE = 'WRONG_SIZE';

    private const SENTENCES = [
        self::EMPTY => 'it is empty. Is the environment variable or the file set?',
        self::NOT_BASE64 => 'it is neither PEM nor base64.',
        self::NOT_A_KEY => 'it is not an RSA key in PKCS#8, PKCS#1 or SubjectPublicKeyInfo format, or it is truncated.',
        self::ENCRYPTED => 'it is protected by a password. Provide the key without a password.',
        self::NOT_RSA => 'it is for another algorithm. It must be an RSA key.',
        self::PUBLIC_INSTEAD_OF_PRIVATE => 'this is a public key. Provide the private key of the same pair.',
        self::PRIVATE_INSTEAD_OF_PUBLIC => "this is a private key. Provide the gateway's public key.",
        self::WRONG_SIZE => 'it has %d bits. It must have 2048 to 4096.',
    ];

    public function __construct(
        /** One of the constants. */
        public readonly string $reason,
        private readonly bool $isPrivate,
        private readonly int $bits = 0,
        string $where = '',
    ) {
        $name = $isPrivate ? 'The private key' : "The gateway's public key";
        parent::__construct("{$name} cannot be used: " . sprintf(self::SENTENCES[$reason], $bits) . $where);
    }

    /** Returns the same error with the place of the key. */
    public function in(string $place): self
    {
        return new self($this->reason, $this->isPrivate, $this->bits, " ({$place})");
    }
}
