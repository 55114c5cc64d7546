<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use GuzzleHttp\Client;
use GuzzleHttp\Psr7\HttpFactory;
use PHPUnit\Framework\TestCase;
use Tollgate\Errors\ConnectionError;
use Tollgate\Errors\TimeoutError;
use Tollgate\Http\CurlTransport;
use Tollgate\Http\Psr18Transport;
use Tollgate\Http\TransportRequest;
use Tollgate\Http\TransportResponse;

/** Tests over real connections. */
final class TransportTest extends TestCase
{
    private static Server $gateway;

    public static function setUpBeforeClass(): void
    {
        self::$gateway = Server::start(['-S', '127.0.0.1:{port}', __DIR__ . '/servers/gateway.php'], [
            'TEST_GATEWAY_PRIVATE_KEY' => Shop::gatewayKeys()->privateKey,
            'TOLLGATE_CLIENT_ID' => Shop::CLIENT_ID,
            'TOLLGATE_PRIVATE_KEY' => Shop::merchantKeys()->privateKey,
            'TOLLGATE_GATEWAY_PUBLIC_KEY' => Shop::gatewayKeys()->publicKey,
        ]);
    }

    public static function tearDownAfterClass(): void
    {
        self::$gateway->stop();
    }

    public function testAPaymentIsSentAndItsResponseIsRead(): void
    {
        $shop = self::shop(['transport' => null]);
        $answer = $shop->client->payments->pay(Shop::twoCoffees());
        self::assertEquals(json_decode(json_encode(Shop::twoCoffees())), $answer->extra['sent']);
    }

    public function testALargeBodyIsSentWithoutExpectContinue(): void
    {
        $shop = self::shop(['transport' => null]);
        $answer = $shop->client->payments->pay(Shop::twoCoffees()->with(metadata: str_repeat('é', 300_000)));
        self::assertSame(600_000, strlen($answer->extra['sent']->metadata));
        self::assertSame('nothing', $answer->extra['expect']);
    }

    public function testAClientOfPsr18SendsTheSame(): void
    {
        if (!class_exists(HttpFactory::class)) {
            self::markTestSkipped('guzzlehttp/guzzle is not installed.');
        }
        $client = new Client(['timeout' => 30, 'connect_timeout' => 15, 'allow_redirects' => false]);
        $shop = self::shop(['transport' => new Psr18Transport($client, new HttpFactory())]);
        self::assertTrue($shop->client->payments->pay(Shop::twoCoffees())->isSuccess());
        $this->expectException(ConnectionError::class);
        $nobody = new Shop(options: ['transport' => new Psr18Transport($client, new HttpFactory()), 'baseUrl' => 'http://127.0.0.1:1']);
        $nobody->client->payments->pay(Shop::twoCoffees());
    }

    public function testARefusedConnectionIsAConnectionError(): void
    {
        $this->expectException(ConnectionError::class);
        (new CurlTransport())->send(self::request('http://127.0.0.1:1/'));
    }

    public function testAMissingResponseIsATimeout(): void
    {
        $silent = stream_socket_server('tcp://127.0.0.1:0');
        $this->expectException(TimeoutError::class);
        $this->expectExceptionMessage('The gateway did not answer within 150 ms.');
        (new CurlTransport())->send(self::request('http://' . stream_socket_get_name($silent, false) . '/', 150));
    }

    public function testAnUntrustedCertificateIsRejected(): void
    {
        $file = self::certificate();
        $server = Server::start([__DIR__ . '/servers/tls.php', '{port}', $file]);
        try {
            $request = self::request("https://localhost:{$server->port}/");
            self::assertSame(503, (new CurlTransport(caFile: $file))->send($request)->status);
            $byAddress = self::request("https://127.0.0.1:{$server->port}/");
            foreach ([[new CurlTransport(), $request], [new CurlTransport(caFile: $file), $byAddress]] as [$transport, $each]) {
                try {
                    $transport->send($each);
                    self::fail('It was trusted.');
                } catch (ConnectionError $error) {
                    self::assertStringContainsStringIgnoringCase('certificate', $error->getMessage());
                }
            }
        } finally {
            $server->stop();
            unlink($file);
        }
    }

    public function testAnEndpointInPlainPhpReceivesAWebhook(): void
    {
        $shop = new Shop(options: ['clock' => null]);
        $body = Mail::paid('2026', 4);
        $headers = $shop->client->webhooks->sign('/notify?shop=1', $body, Shop::gatewayKeys()->privateKey);
        $answer = self::post('/notify?shop=1', $headers, $body);
        self::assertSame([200, $shop->client->webhooks->ack()], [$answer->status, $answer->body]);
        self::assertSame('notifyPayment 4', $answer->headers->first('told'));
        $forged = self::post('/notify?shop=2', $headers, $body);
        self::assertSame([401, '{"problem":"MISMATCH"}'], [$forged->status, $forged->body]);
    }

    private static function post(string $path, array $headers, string $body): TransportResponse
    {
        $url = 'http://127.0.0.1:' . self::$gateway->port . $path;
        return (new CurlTransport())->send(new TransportRequest('POST', $url, $headers, $body, 5_000, 5_000, false));
    }

    /** @param array<string, mixed> $options */
    private static function shop(array $options): Shop
    {
        // The gateway of these tests has a real clock, so the client needs one, too.
        return new Shop(options: ['baseUrl' => 'http://127.0.0.1:' . self::$gateway->port, 'clock' => null, ...$options]);
    }

    private static function request(string $url, int $timeoutMs = 5_000): TransportRequest
    {
        return new TransportRequest('POST', $url, [], '{}', $timeoutMs, $timeoutMs, true);
    }

    /** A file with a key and its self-signed certificate for `localhost`. */
    private static function certificate(): string
    {
        $key = openssl_pkey_get_private(Shop::gatewayKeys()->privateKey);
        $request = openssl_csr_new(['commonName' => 'localhost'], $key);
        openssl_x509_export(openssl_csr_sign($request, null, $key, 1, ['digest_alg' => 'sha256']), $certificate);
        $file = (string) tempnam(sys_get_temp_dir(), 'tollgate');
        file_put_contents($file, $certificate . Shop::gatewayKeys()->privateKey);
        return $file;
    }
}
