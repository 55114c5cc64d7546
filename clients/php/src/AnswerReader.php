<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Errors\CallFacts;
use Tollgate\Errors\HttpStatusError;
use Tollgate\Errors\MalformedResponseError;
use Tollgate\Errors\RateLimitError;
use Tollgate\Errors\ResultError;
use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Generated\ResultCodes;
use Tollgate\Http\TransportResponse;
use Tollgate\Models\Answer;
use Tollgate\Signing\Received;
use Tollgate\Signing\Verifier;

/**
 * Reads a response: the HTTP status first, then the signature, and only then the body.
 *
 * @internal
 */
final class AnswerReader
{
    private const BODY_SHOWN_BYTES = 2_000;
    /** The maximum age of a response: allows for network delay and clock skew. */
    private const AGE_SECONDS_MAX = 600;

    public function __construct(private readonly Settings $settings)
    {
    }

    /** @param class-string<Answer> $class */
    public function read(TransportResponse $response, PreparedCall $call, string $class, CallFacts $known): Outcome
    {
        $facts = $known->withTraceId($response->headers->first('request-id'));
        $outcome = $response->status === 200
            ? $this->verified($response, $call, $class, $facts)
            : self::wrongStatus($response, $facts);
        $retryAfterMs = Retry::after($response->headers->first('retry-after'), $this->settings->clock->now());
        return new Outcome($outcome->end, $outcome->isRetryable, $retryAfterMs);
    }

    private static function wrongStatus(TransportResponse $response, CallFacts $facts): Outcome
    {
        $error = new HttpStatusError($response->status, substr($response->body, 0, self::BODY_SHOWN_BYTES), $facts);
        return new Outcome($error, $response->status === 429 || $response->status >= 500);
    }

    /** @param class-string<Answer> $class */
    private function verified(
        TransportResponse $response,
        PreparedCall $call,
        string $class,
        CallFacts $facts,
    ): Outcome {
        if (strlen($response->body) > $call->answerBytesMax) {
            $sentence = "The gateway's response is longer than {$call->answerBytesMax} bytes.";
            return new Outcome(new MalformedResponseError($sentence, $facts), false);
        }
        $clientId = $this->settings->clientId;
        $message = new Received('POST', $call->path, $clientId, $response->headers, $response->body, 'response-time');
        $verified = Verifier::verify($message, $this->settings->gatewayKeys);
        if (is_string($verified)) {
            return $this->unsigned($response, $facts) ?? self::untrusted($verified, $facts);
        }
        $late = Verifier::timeProblem($verified->time, $this->settings->clock->now(), self::AGE_SECONDS_MAX);
        return $late === null
            ? self::signed($response->body, $class, $facts, $call->subject)
            : self::untrusted($late, $facts);
    }

    private static function untrusted(string $problem, CallFacts $facts): Outcome
    {
        return new Outcome(new SignatureVerificationError($problem, $facts), false);
    }

    /**
     * The signature covers path, client, time and body, but not the request. Only the ids show which request
     * a response belongs to. An attacker could otherwise replay a signed response about another payment.
     *
     * @param array<string, string> $subject
     */
    private static function isAboutOther(\stdClass $body, array $subject): bool
    {
        foreach ($subject as $name => $id) {
            if (isset($body->{$name}) && $body->{$name} !== $id) {
                return true;
            }
        }
        return false;
    }

    /**
     * @param class-string<Answer> $class
     * @param array<string, string> $subject
     */
    private static function signed(string $bytes, string $class, CallFacts $facts, array $subject): Outcome
    {
        $body = self::bodyOf($bytes);
        if ($body === null) {
            $sentence = "The gateway's response is not JSON with a `result`.";
            return new Outcome(new MalformedResponseError($sentence, $facts), false);
        }
        if (self::isAboutOther($body, $subject)) {
            return self::untrusted(SignatureVerificationError::OTHER_SUBJECT, $facts);
        }
        $code = ResultCodes::find($body->result->resultCode);
        $isUnknown = $body->result->resultStatus === 'U';
        // A rate-limited request had no effect, so its outcome is known.
        if ($isUnknown && ($code['error'] ?? null) === RateLimitError::class) {
            return new Outcome(ResultError::of($body, true, $facts), $code['isRetryable']);
        }
        try {
            $answer = $class::fromObject($body)->arrived($facts->traceId, $facts->attempts ?? 1);
        } catch (MalformedResponseError $error) {
            return new Outcome(new MalformedResponseError($error->getMessage(), $facts, $error), false);
        }
        return new Outcome($answer, $isUnknown && ($code['isRetryable'] ?? false));
    }

    /**
     * Reads an unsigned rejection: the gateway may send it before it authenticates the client. An unsigned
     * response never contains information about money.
     */
    private function unsigned(TransportResponse $response, CallFacts $facts): ?Outcome
    {
        $headers = $response->headers;
        $isUnsigned = $headers->first('signature') === null && $headers->first('response-time') === null;
        $body = $isUnsigned && $this->settings->allowUnsignedRefusals ? self::bodyOf($response->body) : null;
        if ($body === null) {
            return null;
        }
        $code = ResultCodes::find($body->result->resultCode);
        if ($body->result->resultStatus === 'S' || !($code['mayBeUnsigned'] ?? false)) {
            return null;
        }
        $mayPass = $body->result->resultStatus === 'U' && $code['isRetryable'];
        return new Outcome(ResultError::of($body, false, $facts), $mayPass);
    }

    /** The body, if it is an object with a complete result. */
    private static function bodyOf(string $bytes): ?\stdClass
    {
        $body = Json::decodeObject($bytes);
        $result = $body->result ?? null;
        $isWhole = $result instanceof \stdClass
            && is_string($result->resultCode ?? null)
            && in_array($result->resultStatus ?? null, ['S', 'F', 'U'], true)
            && is_string($result->resultMessage ?? '');
        return $isWhole ? $body : null;
    }
}
