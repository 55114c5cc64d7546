<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The message may not be from the gateway. The outcome of the request is unknown. */
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
            'it has no signature. Does a proxy between you and the gateway send its own response?',
        self::MISSING_TIME => 'it has a signature but no time.',
        self::MALFORMED_SIGNATURE => 'its signature header is malformed.',
        self::UNSUPPORTED_ALGORITHM => 'its signature algorithm is not RSA256.',
        self::UNKNOWN_KEY_VERSION =>
            "its key version is not configured. Was the gateway's key rotated?",
        self::CLIENT_MISMATCH => 'it is for another client id.',
        self::MISMATCH =>
            "the signature does not match. Usual causes: a wrong public key of the gateway, a wrong path, or a body "
            . 'that was changed in transit or parsed and written again.',
        self::BAD_TIME => 'its time is malformed.',
        self::STALE => 'its time differs too much from your clock. Is your clock correct?',
        self::OTHER_SUBJECT =>
            'it is signed, but its id differs from the id in the request. Does a proxy between you and the gateway '
            . 'send an old response (replay)?',
        self::REPLAYED => 'it was received before (replay).',
        self::BODY_ALREADY_PARSED =>
            'the body was already parsed. Pass its raw bytes, from php://input or from getContent(): the signature '
            . 'covers them, and JSON that is written again differs.',
    ];

    public function __construct(
        /** One of the constants. */
        public readonly string $reason,
        ?CallFacts $facts = null,
    ) {
        parent::__construct('The message failed verification: ' . self::LIKELY_CAUSE[$reason] . " ({$reason})", $facts);
    }
}
