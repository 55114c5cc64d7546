<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** Nobody can say that the message is the gateway's. Conclude nothing from it. */
final class SignatureVerificationError extends GatewayError
{
    public const MISSING_SIGNATURE = 'MISSING_SIGNATURE';
    public const MISSING_TIME = 'MISSING_TIME';
    public const MALFORMED_SIGNATURE = 'MALFORMED_SIGNATURE';
    public const UNSUPPORTED_ALGORITHM = 'UNSUPPORTED_ALGORITHM';
    public const UNKNOWN_KEY_VERSION = 'UNKNOWN_KEY_VERSION';
    public const CLIENT_MISMATCH = 'CLIENT_MISMATCH';
    public const MISMATCH = 'MISMATCH';
    public const BAD_TIME = 'BAD_TIME';
    public const STALE = 'STALE';
    public const OTHER_SUBJECT = 'OTHER_SUBJECT';
    public const REPLAYED = 'REPLAYED';
    public const BODY_ALREADY_PARSED = 'BODY_ALREADY_PARSED';

    private const LIKELY_CAUSE = [
        self::MISSING_SIGNATURE =>
            'it carries no signature. Is something between you and the gateway answering in its place?',
        self::MISSING_TIME => 'it carries a signature but no time.',
        self::MALFORMED_SIGNATURE => 'its signature header cannot be read.',
        self::UNSUPPORTED_ALGORITHM => 'it is signed with another algorithm than RSA256.',
        self::UNKNOWN_KEY_VERSION =>
            'it names a key version of the gateway that you have not configured. Was its key rotated?',
        self::CLIENT_MISMATCH => 'it is addressed to another client id.',
        self::MISMATCH =>
            "the signature does not match. Most often the gateway's public key is not the right one, the path is not "
            . 'the one that was called, or the body was changed on the way or parsed and written again.',
        self::BAD_TIME => 'its time cannot be read.',
        self::STALE => 'its time is too far from now. Is your clock right?',
        self::OTHER_SUBJECT =>
            'it is signed, and answers another question: it names another id than the one that was asked about. Is '
            . 'something between you and the gateway answering with what it kept?',
        self::REPLAYED => 'it was taken before.',
        self::BODY_ALREADY_PARSED =>
            'the body was parsed before. Hand over its raw bytes, from php://input or from getContent(): a signature '
            . 'covers those, and JSON that was written again is not the same.',
    ];

    public function __construct(
        /** One of the constants. */
        public readonly string $reason,
        ?CallFacts $facts = null,
    ) {
        parent::__construct('The message cannot be trusted: ' . self::LIKELY_CAUSE[$reason] . " ({$reason})", $facts);
    }
}
