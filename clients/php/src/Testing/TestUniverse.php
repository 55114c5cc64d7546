<?php

declare(strict_types=1);

namespace Tollgate\Testing;

/**
 * A merchant of its own for a test run, on a gateway that others use as well.
 *
 * @internal
 */
final class TestUniverse
{
    /**
     * @param array<string, mixed> $running like the line of `tollgate dev --json`
     */
    private function __construct(public readonly array $running)
    {
    }

    /**
     * Opens a universe, so that test runs that share a gateway do not see each other. Null if nobody listens there.
     *
     * @param array<string, mixed> $shared `baseUrl`, `controlSecret` and perhaps `walletUrl`: how the wallet is reached from
     *     here, if not as the gateway reaches it
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
                "The Tollgate at {$shared['baseUrl']} opens no universe for these tests: {$said}",
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

    /** Closes it for good, and deletes its keys. */
    public function close(): void
    {
        // A failure is passed over: with its gateway the universe is gone, and otherwise it closes by itself.
        self::ask($this->running, 'DELETE', "/{$this->running['clientId']}", '');
        unlink($this->running['merchantPrivateKeyFile']);
        unlink($this->running['gatewayPublicKeyFile']);
    }

    /** In a file that nobody else may read. */
    private static function keep(string $key): string
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'tollgate-universe-');
        file_put_contents($file, $key);
        return $file;
    }

    /**
     * @param array<string, mixed> $shared
     * @return array{?int, string} no status if nobody listens
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
