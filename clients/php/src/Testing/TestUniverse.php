<?php

declare(strict_types=1);

namespace Tollgate\Testing;

/**
 * An isolated test merchant for a test run on a shared gateway.
 *
 * @internal
 */
final class TestUniverse
{
    /** @param array<string, mixed> $running the fields of `tollgate dev --json` */
    private function __construct(public readonly array $running)
    {
    }

    /**
     * Creates an isolated test merchant, so that test runs that share a gateway do not affect each other.
     * Returns null if no gateway listens at its address.
     *
     * @param array<string, mixed> $shared `baseUrl`, `controlSecret` and optionally `walletUrl`: the URL of
     *     the sandbox provider from this machine, if it differs from the gateway's
     */
    public static function open(array $shared): ?self
    {
        $keys = TestKeys::make();
        [$status, $said] = self::ask($shared, 'POST', '', json_encode(['publicKey' => $keys->publicKey]));
        if ($status === null) {
            return null;
        }
        if ($status !== 201) {
            throw new \RuntimeException(
                "The Tollgate at {$shared['baseUrl']} created no isolated test merchant: {$said}",
            );
        }
        $opened = json_decode($said, true, 512, JSON_THROW_ON_ERROR);
        return new self([
            'baseUrl' => $shared['baseUrl'],
            'clientId' => $opened['clientId'],
            'keyVersion' => $opened['keyVersion'],
            'merchantPrivateKeyFile' => self::keep($keys->privateKey),
            'gatewayPublicKeyFile' => self::keep($opened['gatewayPublicKey']),
            'walletUrl' => $shared['walletUrl'] ?? $opened['walletUrl'] ?? '',
            'controlSecret' => $shared['controlSecret'],
        ]);
    }

    /** Deletes the test merchant and its keys. */
    public function close(): void
    {
        // Errors are ignored: the test merchant is gone with its gateway, or expires by itself.
        self::ask($this->running, 'DELETE', "/{$this->running['clientId']}", '');
        unlink($this->running['merchantPrivateKeyFile']);
        unlink($this->running['gatewayPublicKeyFile']);
    }

    /** Stores the key in a file that other users cannot read. */
    private static function keep(string $key): string
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'tollgate-universe-');
        file_put_contents($file, $key);
        return $file;
    }

    /**
     * @param array<string, mixed> $shared
     * @return array{?int, string} null as status if no gateway listens there
     */
    private static function ask(array $shared, string $method, string $path, string $body): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => "Authorization: Bearer {$shared['controlSecret']}\r\nContent-Type: application/json",
            'content' => $body,
            'ignore_errors' => true,
        ]]);
        $url = rtrim($shared['baseUrl'], '/') . "/sandbox/universes{$path}";
        $said = @file_get_contents($url, false, $context);
        if ($said === false) {
            return [null, ''];
        }
        return [(int) (explode(' ', $http_response_header[0])[1] ?? 0), $said];
    }
}
