<?php

declare(strict_types=1);

namespace Tollgate\Http;

use Tollgate\Errors\ConfigurationError;
use Tollgate\Errors\ConnectionError;
use Tollgate\Errors\TimeoutError;

/** The default transport: ext-curl with verified TLS, timeouts, and one connection that is kept alive. */
final class CurlTransport implements Transport
{
    private ?\CurlHandle $handle = null;

    public function __construct(
        /**
         * A PEM file with certificates to trust instead of the system's, for a gateway in your own network.
         */
        private readonly ?string $caFile = null,
        /** The proxy's URL, such as `http://proxy.example:3128` (default from the environment). */
        private readonly ?string $proxy = null,
    ) {
        if ($caFile !== null && !is_readable($caFile)) {
            throw new ConfigurationError("The file with certificates cannot be read: {$caFile}");
        }
    }

    public function send(TransportRequest $request): TransportResponse
    {
        $this->handle ??= curl_init() ?: throw new ConfigurationError('ext-curl cannot be used.');
        // `curl_reset` resets the options and keeps the open connection.
        curl_reset($this->handle);
        $pairs = [];
        $body = '';
        curl_setopt_array($this->handle, $this->options($request) + [
            CURLOPT_HEADERFUNCTION => static function (\CurlHandle $handle, string $line) use (&$pairs): int {
                $pairs = self::withLine($pairs, $line);
                return strlen($line);
            },
            // Limits the size of a response: an endless response could otherwise fill the memory before its
            // signature is verified.
            CURLOPT_WRITEFUNCTION => static function (\CurlHandle $handle, string $chunk) use (&$body, $request): int {
                $body .= $chunk;
                return strlen($body) > $request->answerBytesMax ? 0 : strlen($chunk);
            },
        ]);
        $isWhole = curl_exec($this->handle) !== false;
        $status = curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE);
        if (strlen($body) > $request->answerBytesMax) {
            // The connection is dropped, because the rest of the response is still arriving.
            $this->handle = null;
        } elseif (!$isWhole) {
            throw $this->failure($request);
        }
        return new TransportResponse($status, new Headers($pairs), $body);
    }

    /** A clone must not share the connection. */
    public function __clone()
    {
        $this->handle = null;
    }

    /** @return array<int, mixed> */
    private function options(TransportRequest $request): array
    {
        $options = [
            CURLOPT_URL => $request->url,
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_POSTFIELDS => $request->body,
            CURLOPT_HTTPHEADER => self::lines($request->headers),
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_CONNECTTIMEOUT_MS => min($request->connectTimeoutMs, $request->timeoutMs),
            CURLOPT_TIMEOUT_MS => $request->timeoutMs,
            // Timeouts below one second need this option if name resolution uses signals.
            CURLOPT_NOSIGNAL => true,
            CURLOPT_SSL_VERIFYPEER => true,
            CURLOPT_SSL_VERIFYHOST => 2,
            CURLOPT_SSLVERSION => CURL_SSLVERSION_TLSv1_2,
            CURLOPT_TCP_NODELAY => true,
            // curl resends by itself when a kept-alive connection is dead, so a request that must not be
            // repeated gets a new connection.
            CURLOPT_FRESH_CONNECT => !$request->isRepeatable,
        ];
        $chosen = [CURLOPT_CAINFO => $this->caFile, CURLOPT_PROXY => $this->proxy];
        return $options + array_filter($chosen, static fn (?string $value): bool => $value !== null);
    }

    /**
     * @param array<string, string> $headers
     * @return list<string>
     */
    private static function lines(array $headers): array
    {
        // An empty `Expect` header, because curl would otherwise wait for `100 Continue` before it sends a
        // large body.
        $lines = ['expect:'];
        foreach ($headers as $name => $value) {
            $lines[] = $value === '' ? "{$name};" : "{$name}: {$value}";
        }
        return $lines;
    }

    /**
     * @param list<array{string, string}> $pairs
     * @return list<array{string, string}>
     */
    private static function withLine(array $pairs, string $line): array
    {
        // A new status line starts new headers: the earlier ones were from `100 Continue` or a proxy.
        if (str_starts_with($line, 'HTTP/')) {
            return [];
        }
        [$name, $value] = array_pad(explode(':', $line, 2), 2, null);
        return $value === null ? $pairs : [...$pairs, [trim($name), trim($value)]];
    }

    private function failure(TransportRequest $request): ConnectionError|TimeoutError
    {
        \assert($this->handle !== null);
        $error = curl_errno($this->handle);
        $cause = new \RuntimeException(curl_error($this->handle), $error);
        // The connection failed, so it is not used again.
        $this->handle = null;
        if ($error === CURLE_OPERATION_TIMEDOUT) {
            return new TimeoutError("The gateway did not answer within {$request->timeoutMs} ms.", null, $cause);
        }
        $sentence = 'The gateway could not be reached, or the connection broke: ' . $cause->getMessage();
        return new ConnectionError(rtrim($sentence, '.') . '.', null, $cause);
    }
}
