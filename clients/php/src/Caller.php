<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Errors\CallFacts;
use Tollgate\Errors\ConfigurationError;
use Tollgate\Errors\ConnectionError;
use Tollgate\Errors\GatewayError;
use Tollgate\Errors\ResultError;
use Tollgate\Errors\TimeoutError;
use Tollgate\Generated\Operations;
use Tollgate\Http\TransportRequest;
use Tollgate\Models\Answer;
use Tollgate\Models\Model;
use Tollgate\Signing\SignatureHeader;
use Tollgate\Signing\SignedText;

/**
 * Serialises the body once. Then signs, sends, verifies and reads, and retries if that is useful and safe.
 *
 * @internal
 */
final class Caller
{
    private const ANSWER_BYTES_MAX = 2 * 1024 * 1024;
    /** Larger response size limits, for operations that return a file. */
    private const ANSWER_BYTES_MAX_OF = ['payments/downloadDisputeEvidence' => 4 * 1024 * 1024];
    private const JSON = ['content-type' => 'application/json; charset=UTF-8'];

    private readonly AnswerReader $reader;

    public function __construct(private readonly Settings $settings)
    {
        $this->reader = new AnswerReader($settings);
    }

    /**
     * @template Response of Answer
     * @param Model|array<string, mixed> $request
     * @param class-string<Response> $class
     * @return Response
     * @throws GatewayError
     */
    public function call(string $operation, Model|array $request, string $class, ?CallOptions $options): Answer
    {
        $options ??= new CallOptions();
        $known = Operations::find($operation);
        $prepared = $this->prepare($operation, $request, $options, $known);
        $isRepeatable = $known['isRepeatable'] ?? false;
        $retriesMax = $isRepeatable ? $options->maxRetries ?? $this->settings->maxRetries : 0;
        $ended = $this->observe($prepared);
        $outcome = $this->repeat($prepared, $class, $retriesMax);
        $end = $outcome->end;
        if ($end instanceof Answer && $end->isFailure() && $options->throwOnFailure) {
            $facts = $prepared->facts->withTraceId($end->traceId())->withAttempts($end->attempts());
            $end = ResultError::of(Json::copy($end), true, $facts);
        }
        $ended($outcome, $end instanceof GatewayError ? $end : null);
        return $end instanceof GatewayError ? throw $end : $end;
    }

    /**
     * Reports the start of a call to the observer, and returns a function to call at its end. An observer
     * that throws must not make a payment fail.
     *
     * @return \Closure(Outcome, ?GatewayError): void
     */
    private function observe(PreparedCall $call): \Closure
    {
        $clock = $this->settings->clock;
        $startedAtMs = $clock->now();
        $about = [$call->facts->operation, $call->facts->requestId, $this->settings->baseUrl];
        try {
            $tell = $this->settings->observer === null ? null : ($this->settings->observer)(new ObservedCall(...$about));
        } catch (\Throwable) {
            $tell = null;
        }
        return static function (Outcome $outcome, ?GatewayError $error) use ($clock, $startedAtMs, $tell): void {
            try {
                $attempts = (int) ($outcome->end instanceof Answer ? $outcome->end->attempts() : $outcome->end->attempts);
                $durationMs = $clock->now() - $startedAtMs;
                $tell === null || $tell(new ObservedEnd($outcome->name(), $durationMs, $attempts, $outcome->traceId(), $error));
            } catch (\Throwable) {
                // The error is ignored, because it cannot be reported anywhere.
            }
        };
    }

    public function clock(): Clock
    {
        return $this->settings->clock;
    }

    public function warn(string $message): void
    {
        $this->settings->log->write(new LogEntry(LogEntry::WARNING, $message));
    }

    /** @param class-string<Answer> $class */
    private function repeat(PreparedCall $call, string $class, int $retriesMax): Outcome
    {
        for ($retries = 0; ; $retries += 1) {
            $outcome = $this->attempt($call, $class, $retries + 1);
            $mayGoOn = $outcome->isRetryable && $retries < $retriesMax;
            $delayMs = $mayGoOn ? Retry::delayMs($retries, $outcome->retryAfterMs) : null;
            if ($delayMs === null || $this->settings->clock->now() + $delayMs >= $call->untilMs) {
                return $outcome;
            }
            $this->log($call, LogEntry::RETRY, attempt: $retries + 2, delayMs: $delayMs, outcome: $outcome->name());
            $this->settings->clock->sleep($delayMs);
        }
    }

    /** @param class-string<Answer> $class */
    private function attempt(PreparedCall $call, string $class, int $number): Outcome
    {
        $startedAtMs = $this->settings->clock->now();
        $outcome = $this->send($call, $class, $call->facts->withAttempts($number));
        $this->log(
            $call,
            LogEntry::RESPONSE,
            traceId: $outcome->traceId(),
            attempt: $number,
            durationMs: $this->settings->clock->now() - $startedAtMs,
            outcome: $outcome->name(),
        );
        return $outcome;
    }

    /** @param class-string<Answer> $class */
    private function send(PreparedCall $call, string $class, CallFacts $facts): Outcome
    {
        try {
            $response = $this->settings->transport->send(new TransportRequest(
                method: 'POST',
                url: $this->settings->baseUrl . $call->path,
                headers: $call->headers + $this->signatureHeaders($call),
                body: $call->body,
                timeoutMs: (int) max(1, min($call->timeoutMs, $call->untilMs - $this->settings->clock->now())),
                connectTimeoutMs: $this->settings->connectTimeoutMs,
                isRepeatable: $call->isRepeatable,
                answerBytesMax: $call->answerBytesMax,
            ));
        } catch (TimeoutError | ConnectionError $error) {
            $sameKind = $error::class;
            return new Outcome(new $sameKind($error->getMessage(), $facts, $error->getPrevious() ?? $error), true);
        }
        return $this->reader->read($response, $call, $class, $facts);
    }

    /**
     * Creates the signed headers of one attempt: each attempt has a new time, and so a new signature.
     *
     * @return array<string, string>
     */
    private function signatureHeaders(PreparedCall $call): array
    {
        $clientId = $this->settings->clientId;
        $time = (string) $this->settings->clock->now();
        $text = SignedText::of('POST', $call->path, $clientId, $time, $call->body);
        $signature = $this->settings->privateKey->sign($text);
        return [
            'client-id' => $clientId,
            'request-time' => $time,
            'signature' => SignatureHeader::write($this->settings->keyVersion, $signature),
        ];
    }

    /**
     * @param Model|array<string, mixed> $request
     * @param array{isRepeatable: bool, idempotencyField?: string}|null $known
     */
    private function prepare(string $operation, Model|array $request, CallOptions $options, ?array $known): PreparedCall
    {
        if (preg_match('~^[A-Za-z0-9]+(?:/[A-Za-z0-9]+)+$~D', $operation) !== 1) {
            throw new ConfigurationError("The operation must be a path such as payments/pay, not {$operation}.");
        }
        $fields = $request instanceof Model ? $request->jsonSerialize() : (object) $request;
        Settings::checkHeaders($options->headers);
        $call = new PreparedCall(
            path: '/ams/' . ($this->settings->isSandbox ? 'sandbox/' : '') . "api/v1/{$operation}",
            body: self::encode($fields),
            headers: self::JSON + array_change_key_case($options->headers) + $this->settings->headers,
            facts: new CallFacts($operation, self::requestId($fields, $known['idempotencyField'] ?? '')),
            timeoutMs: $options->timeoutMs ?? $this->settings->timeoutMs,
            isRepeatable: $known['isRepeatable'] ?? false,
            untilMs: $this->settings->clock->now() + ($options->deadlineMs ?? INF),
            answerBytesMax: self::ANSWER_BYTES_MAX_OF[$operation] ?? self::ANSWER_BYTES_MAX,
            subject: self::idsIn($fields),
        );
        if ($this->settings->log->isOn()) {
            $this->log($call, LogEntry::REQUEST, attempt: 1, body: Log::redacted($fields));
        }
        return $call;
    }

    /**
     * The ids in the request. A response with one of these fields must have the same value.
     *
     * @return array<string, string>
     */
    private static function idsIn(\stdClass $fields): array
    {
        $isId = static fn (mixed $value, int|string $name): bool => is_string($value)
            && str_ends_with((string) $name, 'Id');
        return array_filter(get_object_vars($fields), $isId, ARRAY_FILTER_USE_BOTH);
    }

    private static function encode(\stdClass $fields): string
    {
        try {
            return Json::encode($fields);
        } catch (\JsonException $error) {
            $sentence = "The request cannot be written as JSON: {$error->getMessage()}. Text must be UTF-8.";
            throw new ConfigurationError($sentence, null, $error);
        }
    }

    /**
     * The merchant's id of the request: the idempotency key, or else the first id in the request. It is never
     * a token.
     */
    private static function requestId(\stdClass $fields, string $idempotencyField): ?string
    {
        $texts = array_filter(get_object_vars($fields), is_string(...));
        $ids = array_filter($texts, static fn ($name): bool => !Log::isSecret((string) $name), ARRAY_FILTER_USE_KEY);
        foreach (["^{$idempotencyField}$", 'RequestId$', 'Id$'] as $form) {
            $named = preg_grep("/{$form}/D", array_keys($ids)) ?: [];
            if ($named !== []) {
                return $ids[reset($named)];
            }
        }
        return null;
    }

    private function log(PreparedCall $call, string $event, mixed ...$rest): void
    {
        $ids = ['operation' => $call->facts->operation, 'requestId' => $call->facts->requestId];
        $this->settings->log->write(new LogEntry($event, ...$ids, ...$rest));
    }
}
