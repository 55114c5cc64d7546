<?php

declare(strict_types=1);

use Tollgate\Clock;
use Tollgate\Http\CurlTransport;
use Tollgate\Http\Transport;
use Tollgate\Http\TransportRequest;
use Tollgate\Http\TransportResponse;
use Tollgate\Signing\WireTime;
use Tollgate\Till\ByCodeOptions;
use Tollgate\Till\OpenCode;
use Tollgate\Till\TillResult;
use Tollgate\Tollgate;

/** A clock whose `sleep` returns at once and advances the clock by the requested duration. */
final class JumpingClock implements Clock
{
    /** @var list<int> */
    public array $slept = [];

    public function now(): int
    {
        return (int) (microtime(true) * 1000) + array_sum($this->slept);
    }

    public function sleep(int $ms): void
    {
        $this->slept[] = $ms;
    }
}

/**
 * Sends each request on a new connection: on a kept-alive connection, curl resends a reset request by itself.
 */
final class FreshTransport implements Transport
{
    public function send(TransportRequest $request): TransportResponse
    {
        return (new CurlTransport())->send($request);
    }
}

/** Runs a payment at a point of sale with the scripted gateway; returns the problem, if any. */
function byCode(stdClass $case): ?string
{
    $runId = "php/{$case->id}/" . bin2hex(random_bytes(8));
    $clock = new JumpingClock();
    $states = [];
    $isStopped = false;
    $stop = static function () use (&$isStopped): bool {
        return $isStopped;
    };
    $onState = static function (string $state) use (&$states, &$isStopped, $case): void {
        if ($state !== end($states)) {
            $states[] = $state;
        }
        $isStopped = $isStopped || $state === ($case->stopAt ?? null);
    };
    $stopped = isset($case->stopAt) ? ['stop' => $stop] : [];
    $options = new ByCodeOptions(...(array) ($case->options ?? []), ...$stopped, onState: $onState);
    $payments = (new Tollgate(...merchant(), clock: $clock, transport: new FreshTransport()))->payments;
    $asked = $case->call === 'finishByCode' ? $runId : requestOf($case, $runId);
    $first = $payments->{$case->call}($asked, $options);
    $openedAtMs = $clock->now();
    $isFinished = $first instanceof OpenCode && ($case->finish ?? false);
    $result = $isFinished ? $payments->finishByCode($first, $options) : $first;
    $seen = json_decode(file_get_contents(getenv('CONFORMANCE_URL') . '/seen?run=' . rawurlencode($runId)));
    $expect = $case->expect;
    $absent = $expect->absent ?? [];
    $slept = array_map(static fn (int $ms): float => $ms / 1000, $clock->slept);
    return difference(
        (object) [
            ...(array) $seen,
            'open' => named($first instanceof OpenCode ? openFacts($first, $openedAtMs) : null, $expect->open ?? null),
            'result' => named($result instanceof TillResult ? $result : null, $expect->result ?? null),
            'absent' => array_values(array_filter($absent, static fn (string $name): bool => $result->{$name} === null)),
            'ids' => [$first->paymentRequestId, $result->paymentRequestId],
            'states' => $states,
            'sleptSeconds' => isset($expect->sleptSeconds) ? $slept : null,
        ],
        (object) [
            'open' => null,
            'result' => null,
            'absent' => [],
            ...(array) $expect,
            'ids' => [$runId, $runId],
            'problems' => [],
            'sleptSeconds' => isset($expect->sleptSeconds) ? array_map(floatval(...), $expect->sleptSeconds) : null,
        ],
    );
}

/** @return array<string, mixed> */
function requestOf(stdClass $case, string $runId): array
{
    return [...(array) vectors('by-code.json')->requests->{$case->call}, 'paymentRequestId' => $runId];
}

/** Rounds the expiry of a code to ten seconds, because the API writes times in whole seconds. */
function openFacts(OpenCode $code, int $openedAtMs): object
{
    $endsInMs = WireTime::parse($code->endsAt) - $openedAtMs;
    return (object) [...get_object_vars($code), 'endsInSeconds' => (int) round($endsInMs / 10_000) * 10];
}

/**
 * Returns the fields of the result that the case names. A field that the case sets to null must be absent.
 */
function named(?object $found, ?stdClass $expected): mixed
{
    if ($found === null || $expected === null) {
        return $found === null ? null : 'there';
    }
    $fields = json_decode(json_encode($found));
    $names = array_keys((array) $expected);
    return (object) array_combine($names, array_map(static fn (string $name) => $fields->{$name} ?? null, $names));
}
