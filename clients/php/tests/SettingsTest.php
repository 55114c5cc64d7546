<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\CallOptions;
use Tollgate\Errors\ConfigurationError;
use Tollgate\Http\CurlTransport;
use Tollgate\Http\Psr18Transport;
use Tollgate\LogEntry;
use Tollgate\Testing\FakeGateway;
use Tollgate\Testing\Reply;
use Tollgate\Tollgate;

final class SettingsTest extends TestCase
{
    private const VARIABLES = [
        'CLIENT_ID',
        'PRIVATE_KEY',
        'PRIVATE_KEY_FILE',
        'GATEWAY_PUBLIC_KEY',
        'GATEWAY_PUBLIC_KEY_FILE',
        'BASE_URL',
        'KEY_VERSION',
        'ENVIRONMENT',
    ];

    protected function tearDown(): void
    {
        foreach (self::VARIABLES as $name) {
            putenv("TOLLGATE_{$name}");
        }
    }

    public function testMissingOptionsAreReadFromTheEnvironment(): void
    {
        putenv('TOLLGATE_CLIENT_ID=5YENV');
        putenv('TOLLGATE_PRIVATE_KEY=' . str_replace("\n", '\n', Shop::merchantKeys()->privateKey));
        putenv('TOLLGATE_GATEWAY_PUBLIC_KEY=' . Shop::gatewayKeys()->publicKey);
        putenv('TOLLGATE_BASE_URL=https://gateway.example');
        putenv('TOLLGATE_KEY_VERSION=3');
        putenv('TOLLGATE_ENVIRONMENT=sandbox');
        $gateway = new FakeGateway([Reply::success()], Shop::gatewayKeys()->privateKey);
        (new Tollgate(transport: $gateway))->payments->pay(Shop::twoCoffees());
        [$request] = $gateway->requests;
        self::assertSame('5YENV', $request->headers['client-id']);
        self::assertStringContainsString('keyVersion=3', $request->headers['signature']);
        self::assertStringContainsString('/ams/sandbox/', $request->url);
    }

    public function testKeysCanBeInFilesAndAnOptionTakesPrecedence(): void
    {
        $own = (string) tempnam(sys_get_temp_dir(), 'tollgate-key-');
        file_put_contents($own, Shop::merchantKeys()->privateKey);
        putenv("TOLLGATE_PRIVATE_KEY_FILE={$own}");
        $shop = new Shop([Reply::success()], ['privateKey' => null]);
        self::assertTrue($shop->client->payments->pay(Shop::twoCoffees())->isSuccess());
        unlink($own);
        new Shop();
        $this->expectException(ConfigurationError::class);
        $this->expectExceptionMessage("TOLLGATE_PRIVATE_KEY_FILE names {$own}, but this file does not exist");
        new Shop(options: ['privateKey' => null]);
    }

    /** @dataProvider mistakes */
    public function testAnInvalidOptionIsRejectedWithAMessage(array $options, string $sentence): void
    {
        $this->expectException(ConfigurationError::class);
        $this->expectExceptionMessage($sentence);
        new Shop(options: $options);
    }

    /** @return array<string, array{array<string, mixed>, string}> */
    public static function mistakes(): array
    {
        return [
            'no client id' => [['clientId' => null], 'There is no clientId: pass it, or set TOLLGATE_CLIENT_ID.'],
            'no base URL' => [['baseUrl' => null], 'There is no baseUrl: pass it, or set TOLLGATE_BASE_URL.'],
            'a path in the base URL' => [['baseUrl' => 'https://a.example/ams'], 'only a scheme and a host'],
            'a user in the base URL' => [['baseUrl' => 'https://me@a.example'], 'only a scheme and a host'],
            'a blank in the base URL' => [['baseUrl' => 'https://a.example '], 'must be like https://gateway.example'],
            'no TLS' => [['baseUrl' => 'http://a.example'], 'must start with https://'],
            'no keys of the gateway' => [['gatewayPublicKeys' => []], 'At least one public key of the gateway'],
            'the key that is not private' => [
                ['privateKey' => Shop::gatewayKeys()->publicKey],
                'this is a public key. Provide the private key of the same pair.',
            ],
            'no such environment' => [['environment' => 'test'], 'The environment must be sandbox or live, not test.'],
            'no time' => [['timeoutMs' => 0], 'timeoutMs must be greater than 0.'],
            'two headers in one' => [['agentToken' => "a\r\nb"], 'has invalid characters'],
        ];
    }

    public function testATimeoutOfZeroIsRejected(): void
    {
        $this->expectException(ConfigurationError::class);
        new CallOptions(timeoutMs: 0);
    }

    public function testOnesOwnKeyAsTheGatewaysKeyLogsAWarning(): void
    {
        $warnings = [];
        new Shop(options: [
            'gatewayPublicKeys' => [1 => Shop::merchantKeys()->publicKey],
            'logger' => function (LogEntry $entry) use (&$warnings): void {
                $warnings[] = $entry->sentence();
            },
        ]);
        self::assertCount(1, $warnings);
        self::assertStringContainsString('your own public key', $warnings[0]);
    }

    public function testNoDumpOfAClientShowsItsSecrets(): void
    {
        $client = (new Shop(options: ['agentToken' => 'agent-secret']))->client;
        $der = base64_decode(preg_replace('/-----[^-]+-----|\s/', '', Shop::merchantKeys()->privateKey));
        ob_start();
        var_dump($client);
        $dump = ob_get_clean() . print_r($client, true);
        self::assertTrue(str_contains($dump, Shop::CLIENT_ID));
        self::assertFalse(str_contains($dump, 'agent-secret'));
        // The dump must not contain a part of the second half of the private key, which is secret.
        self::assertFalse(str_contains($dump, substr($der, 700, 20)));
        self::assertFalse(str_contains($dump, substr(base64_encode($der), 900, 20)));
    }

    public function testAMissingCertificateFileIsReportedAtOnce(): void
    {
        $this->expectException(ConfigurationError::class);
        new CurlTransport(caFile: __DIR__ . '/nothing.pem');
    }

    public function testAnObjectThatIsNotAPsr18ClientIsRejected(): void
    {
        $this->expectException(ConfigurationError::class);
        $this->expectExceptionMessage('stdClass is no PSR-18 client');
        new Psr18Transport(new \stdClass(), new \stdClass());
    }
}
