<?php

declare(strict_types=1);

// Measures the share of the library in the duration of a call: payments through the library against the same
// bytes through plain curl, to a handler that does nothing. It also measures the time from process start to
// the first request.

use Tollgate\Keys\PrivateKey;
use Tollgate\Models\Order;
use Tollgate\Models\PaymentMethod;
use Tollgate\Models\PayRequest;
use Tollgate\Money;
use Tollgate\Signing\SignatureHeader;
use Tollgate\Signing\SignedText;
use Tollgate\Testing\TestKeys;
use Tollgate\Tollgate;

require __DIR__ . '/autoload.php';

const CLIENT_ID = '5YTEST00000000000';
const SECONDS = 2.0;
const ROUNDS = 3;

[$merchant, $gateway] = [TestKeys::make(), TestKeys::make()];
[$server, $url, $pipes] = startServer($gateway);
$client = new Tollgate(CLIENT_ID, $merchant->privateKey, $gateway->publicKey, $url);
$request = payRequest();
$body = json_encode($request);
$curl = bareCurl("{$url}/ams/api/v1/payments/pay", $body);
$rates = ['bare curl' => [], 'tollgate/client' => []];
for ($round = 0; $round < ROUNDS; $round += 1) {
    $rates['bare curl'][] = rate(static fn () => json_decode(curl_exec($curl)));
    $rates['tollgate/client'][] = rate(static fn () => $client->payments->pay($request));
}
foreach ($rates as $name => $each) {
    sort($each);
    printf("%-16s %6d requests/s (median of %s)\n", $name, $each[1], implode(' ', array_map(intval(...), $each)));
}
$key = PrivateKey::of($merchant->privateKey);
printf("%-16s %6d signatures/s\n", 'RSA 2048', rate(static fn () => $key->sign($body)));
putenv("TOLLGATE_PRIVATE_KEY={$merchant->privateKey}");
putenv("TOLLGATE_GATEWAY_PUBLIC_KEY={$gateway->publicKey}");
[$empty, $first] = [coldStartMs(''), coldStartMs(firstCall($url))];
printf("cold start       %.1f ms until the first answer, of which an empty php takes %.1f ms\n", $first, $empty);
proc_terminate($server);

function startServer(TestKeys $gateway): array
{
    $answer = '{"result":{"resultCode":"PAYMENT_IN_PROCESS","resultStatus":"U","resultMessage":"The payment is in process."},'
        . '"paymentId":"20261115101530482047605661029384756","normalUrl":"https://pay.example/p/20261115"}';
    $time = '2026-11-15T10:00:00+00:00';
    $text = SignedText::of('POST', '/ams/api/v1/payments/pay', CLIENT_ID, $time, $answer);
    $signature = SignatureHeader::write(1, PrivateKey::of($gateway->privateKey)->sign($text));
    $headers = ['content-type' => 'application/json', 'signature' => $signature, 'response-time' => $time, 'client-id' => CLIENT_ID];
    $variables = ['BENCHMARK_ANSWER' => json_encode(['headers' => $headers, 'body' => $answer])] + getenv();
    $server = proc_open(['node', __DIR__ . '/tests/servers/bare.mjs'], [1 => ['pipe', 'w']], $pipes, null, $variables);
    return [$server, 'http://127.0.0.1:' . trim((string) fgets($pipes[1])), $pipes];
}

function payRequest(): PayRequest
{
    $price = Money::of('EUR', '12.50')->toAmount();
    return new PayRequest(
        productCode: 'CASHIER_PAYMENT',
        paymentRequestId: 'order-1001-attempt-1',
        order: new Order(referenceOrderId: 'order-1001', orderDescription: 'Two coffees', orderAmount: $price),
        paymentAmount: $price,
        paymentMethod: new PaymentMethod(paymentMethodType: 'GCASH'),
    );
}

function bareCurl(string $url, string $body): CurlHandle
{
    $curl = curl_init($url);
    curl_setopt_array($curl, [
        CURLOPT_POSTFIELDS => $body,
        CURLOPT_HTTPHEADER => ['content-type: application/json', 'client-id: ' . CLIENT_ID, 'signature: ' . str_repeat('x', 390)],
        CURLOPT_RETURNTRANSFER => true,
    ]);
    return $curl;
}

function rate(Closure $call): float
{
    $call();
    $start = microtime(true);
    for ($calls = 0; microtime(true) - $start < SECONDS; $calls += 1) {
        $call();
    }
    return $calls / (microtime(true) - $start);
}

function firstCall(string $url): string
{
    $autoload = __DIR__ . '/autoload.php';
    return "require '{$autoload}'; (new Tollgate\\Tollgate('" . CLIENT_ID . "', baseUrl: '{$url}'))"
        . "->payments->pay(['productCode' => 'CASHIER_PAYMENT', 'paymentRequestId' => '1']);";
}

/** The median of eleven runs. */
function coldStartMs(string $code): float
{
    $times = [];
    for ($run = 0; $run < 11; $run += 1) {
        $start = hrtime(true);
        proc_close(proc_open([PHP_BINARY, '-r', $code], [1 => ['file', '/dev/null', 'w']], $pipes));
        $times[] = (hrtime(true) - $start) / 1e6;
    }
    sort($times);
    return $times[5];
}
