<?php

declare(strict_types=1);

namespace Tollgate\Signing;

use Tollgate\Errors\SignatureVerificationError as Problem;
use Tollgate\Keys\GatewayKeys;

/** @internal */
final class Verifier
{
    /**
     * The order of the checks is part of the contract: presence, syntax, algorithm, key version, base64,
     * client id, signature.
     *
     * @return Verified|string the verified values, or the reason why the message is rejected
     */
    public static function verify(Received $message, GatewayKeys $keys): Verified|string
    {
        $header = SignatureHeader::read($message->headers->all('signature'));
        if (is_string($header)) {
            return $header;
        }
        $time = $message->headers->first($message->timeHeader);
        if ($time === null) {
            return Problem::MISSING_TIME;
        }
        $key = $keys->find($header->keyVersion);
        if ($key === null) {
            return Problem::UNKNOWN_KEY_VERSION;
        }
        $signature = $header->decoded();
        if ($signature === null || strlen($signature) !== $key->signatureBytes) {
            return Problem::MALFORMED_SIGNATURE;
        }
        if (($message->headers->first('client-id') ?? $message->clientId) !== $message->clientId) {
            return Problem::CLIENT_MISMATCH;
        }
        $text = SignedText::of($message->method, $message->path, $message->clientId, $time, $message->body);
        return $key->verify($text, $signature) ? new Verified(base64_encode($signature), $time) : Problem::MISMATCH;
    }

    /** Checks the age of a message; returns the problem or null. A tolerance of zero disables the check. */
    public static function timeProblem(string $time, int $nowMs, int $toleranceSeconds): ?string
    {
        $timeMs = WireTime::parse($time);
        if ($timeMs === null) {
            return Problem::BAD_TIME;
        }
        $isLate = $toleranceSeconds > 0 && abs($nowMs - $timeMs) > $toleranceSeconds * 1000;
        return $isLate ? Problem::STALE : null;
    }
}
