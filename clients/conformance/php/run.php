<?php

declare(strict_types=1);

use Tollgate\CallOptions;
use Tollgate\Errors\ConfigurationError;
use Tollgate\Errors\GatewayError;
use Tollgate\Errors\HttpStatusError;
use Tollgate\Errors\InvalidKeyError;
use Tollgate\Errors\ResultError;
use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Http\Headers;
use Tollgate\Keys\EnvironmentKey;
use Tollgate\Keys\GatewayKeys;
use Tollgate\Keys\PrivateKey;
use Tollgate\Keys\PublicKey;
use Tollgate\Models\AnyAnswer;
use Tollgate\Money;
use Tollgate\Signing\Received;
use Tollgate\Signing\SignatureHeader;
use Tollgate\Signing\SignedText;
use Tollgate\Signing\Verifier;
use Tollgate\Signing\WireTime;
use Tollgate\Tollgate;

require __DIR__ . '/../../php/autoload.php';
require __DIR__ . '/by-code.php';

// Every PHP warning is an error, so that no case passes by accident.
set_error_handler(static function (int $level, string $text, string $file, int $line): never {
    throw new ErrorException($text, 0, $level, $file, $line);
});

$failures = 0;
run('sign', vectors('sign.json')->cases, sign(...));
run('verify', vectors('verify.json')->cases, verify(...));
run('keyload', vectors('keyload.json')->cases, keyload(...));
run('keyload', vectors('keyload.json')->settings, keySetting(...));
run('money', vectors('money.json')->cases, money(...));
run('models', vectors('models.json')->cases, model(...));
run('outcomes', vectors('outcomes.json')->cases, paymentOutcome(...));
run('http', vectors('http.json')->cases, exchange(...));
run('by-code', vectors('by-code.json')->cases, byCode(...));
exit($failures === 0 ? 0 : 1);

/** Prints the verdict of each case on one line: `<file>/<id> ok`, or `<file>/<id> FAILED why`. */
function run(string $file, array $cases, Closure $check): void
{
    global $failures;
    foreach ($cases as $case) {
        try {
            $problem = $check($case);
        } catch (Throwable $error) {
            $problem = $error::class . ": {$error->getMessage()} at {$error->getFile()}:{$error->getLine()}";
        }
        $failures += $problem === null ? 0 : 1;
        echo "{$file}/{$case->id} ", $problem === null ? 'ok' : 'FAILED ' . preg_replace('/\s+/', ' ', $problem), "\n";
    }
}

function sign(stdClass $case): ?string
{
    $body = base64_decode($case->bodyBase64, true);
    $text = SignedText::of($case->method, $case->path, $case->clientId, $case->time, $body);
    if (hash('sha256', $text) !== $case->contentSha256) {
        return 'the signed text differs';
    }
    $signature = PrivateKey::of(keyNamed($case->key)->privatePkcs8)->sign($text);
    if (base64_encode($signature) !== $case->signature) {
        return 'the signature differs';
    }
    return difference(SignatureHeader::write($case->keyVersion, $signature), $case->header);
}

function verify(stdClass $case): ?string
{
    $isWebhook = $case->kind === 'webhook';
    $message = new Received(
        $case->method,
        $case->path,
        $case->expectedClientId,
        new Headers($case->headers),
        base64_decode($case->bodyBase64, true),
        $isWebhook ? 'request-time' : 'response-time',
    );
    $verified = Verifier::verify($message, publicKeys($case->publicKeys));
    if (is_string($verified)) {
        return difference($verified, $case->expect);
    }
    $nowMs = WireTime::parse($case->now);
    $late = $isWebhook ? Verifier::timeProblem($verified->time, $nowMs, $case->toleranceSeconds) : null;
    $isReplayed = in_array($verified->replayKey, $case->seen ?? [], true);
    return difference($late ?? ($isReplayed ? 'REPLAYED' : 'OK'), $case->expect);
}

function keyload(stdClass $case): ?string
{
    try {
        $isRight = $case->half === 'private' ? signsRightly($case->text) : verifiesRightly($case->text);
        return difference($isRight ? 'OK' : 'another key', $case->expect);
    } catch (InvalidKeyError $error) {
        return str_contains((string) $error, 'MII')
            ? 'the key is in the message or in the trace'
            : difference($error->reason, $case->expect);
    }
}

function signsRightly(#[SensitiveParameter] string $text): bool
{
    $file = vectors('keyload.json');
    return base64_encode(PrivateKey::of($text)->sign($file->text)) === $file->signature;
}

function verifiesRightly(#[SensitiveParameter] string $text): bool
{
    $file = vectors('keyload.json');
    return PublicKey::of($text)->verify($file->text, base64_decode($file->signature, true));
}

function keySetting(stdClass $case): ?string
{
    $isPrivate = $case->half === 'private';
    $name = $isPrivate ? 'TOLLGATE_PRIVATE_KEY' : 'TOLLGATE_GATEWAY_PUBLIC_KEY';
    $file = sys_get_temp_dir() . '/tollgate-key-' . bin2hex(random_bytes(8));
    $place = $case->place ?? (isset($case->file) ? 'file' : null);
    match ($place) {
        'folder' => mkdir($file),
        'file' => file_put_contents($file, $case->file),
        default => null,
    };
    $variables = [$name => $case->variable ?? '', "{$name}_FILE" => $place === null ? '' : $file];
    // An empty variable counts as not set, as in the environment.
    $lookUp = static fn (string $each): ?string => $variables[$each] === '' ? null : $variables[$each];
    try {
        $works = EnvironmentKey::read($name, $isPrivate ? signsRightly(...) : verifiesRightly(...), $lookUp);
        return difference(match ($works) { null => 'ABSENT', true => 'OK', false => 'another key' }, $case->expect);
    } catch (ConfigurationError $error) {
        $reason = $error instanceof InvalidKeyError ? $error->reason : 'CONFIGURATION';
        $sentence = str_replace(['{file}', '{folder}'], [$file, getcwd()], $case->message);
        return difference([$reason, $error->getMessage()], [$case->expect, $sentence]);
    } finally {
        match ($place) {
            'folder' => rmdir($file),
            'file' => unlink($file),
            default => null,
        };
    }
}

function money(stdClass $case): ?string
{
    try {
        $back = Money::from(Money::of($case->currency, $case->decimal)->toAmount());
    } catch (InvalidArgumentException) {
        return difference('REFUSED', $case->expect);
    }
    $found = [$back->toAmount()->value, $back->toDecimal(), 'OK'];
    return difference($found, [$case->value ?? null, $case->written ?? null, $case->expect]);
}

function model(stdClass $case): ?string
{
    $class = "Tollgate\\Models\\{$case->type}";
    return difference(json_decode(json_encode($class::fromJson(json_encode($case->json)))), $case->expect);
}

function paymentOutcome(stdClass $case): ?string
{
    $class = "Tollgate\\Models\\{$case->type}";
    $found = $class::fromJson(json_encode($case->json));
    $words = [
        'PAID' => $found->isPaid(),
        'AUTHORIZED' => $found->isAuthorized(),
        'PENDING' => $found->isPending(),
        'FAILED' => $found->isFailed(),
    ];
    // Reads all four outcome properties: exactly one must be true.
    return difference(array_keys(array_filter($words)), [$case->outcome]);
}

function exchange(stdClass $case): ?string
{
    $runId = "php/{$case->id}/" . bin2hex(random_bytes(8));
    $startedAt = hrtime(true);
    $problem = outcome($case, $runId);
    $tookMs = (hrtime(true) - $startedAt) / 1_000_000;
    if ($tookMs > ($case->expect->withinMs ?? INF)) {
        return 'it took ' . round($tookMs) . ' ms';
    }
    $url = getenv('CONFORMANCE_URL') . '/seen?run=' . rawurlencode($runId);
    $seen = json_decode(file_get_contents($url));
    // The number of polls is not compared, because it depends on the speed of the machine.
    return $problem ?? (isset($case->wait)
        ? difference($seen->problems, [])
        : difference($seen, (object) ['attempts' => $case->expect->attempts, 'problems' => []]));
}

/** @return array<string, mixed> */
function merchant(): array
{
    $http = vectors('http.json');
    return [
        'clientId' => $http->clientId,
        'privateKey' => keyNamed($http->key)->privatePkcs8,
        'keyVersion' => $http->keyVersion,
        'gatewayPublicKeys' => array_map(
            static fn (string $name): string => keyNamed($name)->publicSpki,
            (array) $http->gatewayPublicKeys,
        ),
        'baseUrl' => getenv('CONFORMANCE_URL'),
    ];
}

function outcome(stdClass $case, string $runId): ?string
{
    $names = ['outcome', 'class', 'code', 'resultStatus', 'reason', 'httpStatus', 'isSigned', 'message', 'attempts'];
    $expected = array_intersect_key((array) $case->expect, array_flip($names));
    try {
        $own = isset($case->clientId) ? ['clientId' => $case->clientId] : [];
        $client = new Tollgate(...[...merchant(), ...$own, ...(array) ($case->client ?? [])]);
        $options = array_map(static fn ($each) => is_object($each) ? (array) $each : $each, (array) ($case->call ?? []));
        if (isset($case->wait)) {
            $client->payments->waitForFinal(['paymentRequestId' => $runId], $case->wait->timeoutMs);
            return 'the payment is final';
        }
        $answer = $client->request($case->operation, ['paymentRequestId' => $runId], new CallOptions(...$options));
        return fieldsProblem($answer, $case->expect) ?? difference(found($answer), (object) $expected);
    } catch (GatewayError $error) {
        $message = isset($expected['message']) ? ['message' => $error->getMessage()] : [];
        return difference((object) [...(array) foundError($error), ...$message], (object) $expected);
    }
}

function found(AnyAnswer $answer): object
{
    $result = $answer->result;
    $isCalled = ['S' => $answer->isSuccess(), 'F' => $answer->isFailure(), 'U' => $answer->isPending()];
    return (object) [
        'outcome' => 'answer',
        'code' => $result->resultCode,
        'resultStatus' => array_search(true, $isCalled, true),
        'attempts' => $answer->attempts(),
    ];
}

function foundError(GatewayError $error): object
{
    return (object) [
        'outcome' => 'error',
        'class' => $error->name(),
        ...($error instanceof ResultError ? ['code' => $error->resultCode, 'isSigned' => $error->isSigned] : []),
        ...($error instanceof SignatureVerificationError ? ['reason' => $error->reason] : []),
        ...($error instanceof HttpStatusError ? ['httpStatus' => $error->status] : []),
        'attempts' => $error->attempts ?? 0,
    ];
}

function fieldsProblem(AnyAnswer $answer, stdClass $expect): ?string
{
    foreach ($expect->absent ?? [] as $name) {
        if (array_key_exists($name, $answer->extra)) {
            return "{$name} is present and null";
        }
    }
    $there = array_intersect_key($answer->extra, (array) ($expect->fields ?? []));
    return difference((object) $there, $expect->fields ?? new stdClass());
}

function publicKeys(stdClass $names): GatewayKeys
{
    return GatewayKeys::of(array_map(static fn (string $name): string => keyNamed($name)->publicSpki, (array) $names));
}

function keyNamed(string $name): stdClass
{
    return vectors('keys.json')->{$name};
}

function vectors(string $file): stdClass
{
    static $read = [];
    return $read[$file] ??= json_decode(file_get_contents(__DIR__ . "/../{$file}"), false, 512, JSON_THROW_ON_ERROR);
}

/** Compares two JSON values. Returns nothing if they are equal in any order of fields. */
function difference(mixed $actual, mixed $expected): ?string
{
    [$one, $other] = [json_encode(ordered($actual)), json_encode(ordered($expected))];
    return $one === $other ? null : "{$one} is not {$other}";
}

function ordered(mixed $value): mixed
{
    if ($value instanceof stdClass) {
        $fields = array_map(ordered(...), (array) $value);
        ksort($fields);
        return (object) $fields;
    }
    return is_array($value) ? array_map(ordered(...), $value) : $value;
}
