<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Errors\ConfigurationError;
use Tollgate\Http\Transport;
use Tollgate\Keys\EnvironmentKey;
use Tollgate\Keys\GatewayKeys;
use Tollgate\Keys\PrivateKey;

/**
 * A client's settings, validated and complete.
 *
 * @internal
 */
final class Settings
{
    private const OWN_KEY = "The configured key of the gateway is your own public key, so verification will fail. "
        . 'Use the public key that the gateway showed you at registration.';

    /** @param array<string, string> $headers sent with every request */
    public function __construct(
        public readonly string $clientId,
        public readonly PrivateKey $privateKey,
        public readonly int $keyVersion,
        public readonly GatewayKeys $gatewayKeys,
        /** Scheme and host, without a slash at the end. */
        public readonly string $baseUrl,
        public readonly bool $isSandbox,
        public readonly int $timeoutMs,
        public readonly int $connectTimeoutMs,
        public readonly int $maxRetries,
        public readonly Transport $transport,
        public readonly Log $log,
        /** @var (\Closure(ObservedCall): (?\Closure(ObservedEnd): void))|null */
        public readonly ?\Closure $observer,
        public readonly Clock $clock,
        public readonly array $headers,
        public readonly bool $allowUnsignedRefusals,
    ) {
        self::check($keyVersion >= 1, 'The key version must be 1 or more.');
        self::check($timeoutMs > 0, 'timeoutMs must be greater than 0.');
        self::check($connectTimeoutMs > 0, 'connectTimeoutMs must be greater than 0.');
        self::check($maxRetries >= 0, 'maxRetries must not be less than 0.');
        self::checkHeaders($headers);
        if ($gatewayKeys->isHalfOf($privateKey)) {
            $log->write(new LogEntry(LogEntry::WARNING, self::OWN_KEY));
        }
    }

    /** The fields that a dump of the client may show. */
    public function __debugInfo(): array
    {
        return ['clientId' => $this->clientId, 'baseUrl' => $this->baseUrl, 'isSandbox' => $this->isSandbox];
    }

    public static function clientId(?string $given): string
    {
        $clientId = self::given($given, 'clientId', 'CLIENT_ID');
        $isVisible = preg_match('/^[\x21-\x7e]{1,64}$/D', $clientId);
        self::check($isVisible, 'A client id must have 1 to 64 visible ASCII characters.');
        return $clientId;
    }

    /** @param string|array<int, string>|null $given */
    public static function gatewayKeys(string|array|null $given): GatewayKeys
    {
        return self::keyGiven($given, 'gatewayPublicKeys', 'GATEWAY_PUBLIC_KEY', GatewayKeys::of(...));
    }

    public static function webhookTolerance(int $seconds): int
    {
        self::check($seconds >= 0, 'webhookToleranceSeconds must not be less than 0.');
        return $seconds;
    }

    /** Returns the option, or else the value of the environment variable TOLLGATE_…. */
    public static function given(#[\SensitiveParameter] mixed $option, string $name, string $variable): mixed
    {
        return $option
            ?? self::fromEnvironment($variable)
            ?? throw new ConfigurationError("There is no {$name}: pass it, or set TOLLGATE_{$variable}.");
    }

    /**
     * The key from the option, or else from the variable TOLLGATE_…, or from the file that TOLLGATE_…_FILE
     * names.
     *
     * @template Key
     * @param \Closure(string): Key $read
     * @return Key
     */
    public static function keyGiven(
        #[\SensitiveParameter] mixed $option,
        string $name,
        string $variable,
        \Closure $read,
    ): mixed {
        $lookUp = static fn (string $full): ?string => self::fromEnvironment(substr($full, strlen('TOLLGATE_')));
        return $option !== null
            ? $read($option)
            : EnvironmentKey::read("TOLLGATE_{$variable}", $read, $lookUp) ?? throw new ConfigurationError(
                "There is no {$name}: pass it, or set TOLLGATE_{$variable} or TOLLGATE_{$variable}_FILE.",
            );
    }

    public static function fromEnvironment(string $variable): ?string
    {
        $name = "TOLLGATE_{$variable}";
        // All three sources are read, because each loader of .env files sets only some of them.
        $value = $_SERVER[$name] ?? $_ENV[$name] ?? getenv($name);
        return is_string($value) && $value !== '' ? $value : null;
    }

    public static function origin(string $baseUrl, bool $allowInsecure): string
    {
        $parts = parse_url($baseUrl) ?: [];
        $scheme = strtolower($parts['scheme'] ?? '');
        $host = strtolower($parts['host'] ?? '');
        self::check(
            in_array($scheme, ['http', 'https'], true) && preg_match('/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/D', $host),
            "The base URL must be like https://gateway.example, but it is {$baseUrl}.",
        );
        $other = array_diff(array_keys($parts), ['scheme', 'host', 'port', 'path']);
        self::check(
            $other === [] && trim($parts['path'] ?? '', '/') === '',
            'The base URL must have only a scheme and a host, because paths are signed.',
        );
        self::check(
            $scheme === 'https' || $allowInsecure || self::isLoopback($host),
            'The base URL must start with https://. Only loopback may use http://.',
        );
        return "{$scheme}://{$host}" . (isset($parts['port']) ? ":{$parts['port']}" : '');
    }

    public static function isSandbox(string $clientId, ?string $environment): bool
    {
        return match ($environment) {
            null => str_starts_with($clientId, 'SANDBOX_'),
            'sandbox' => true,
            'live' => false,
            default => throw new ConfigurationError("The environment must be sandbox or live, not {$environment}."),
        };
    }

    /**
     * Rejects values with line breaks: header injection.
     *
     * @param array<array-key, string> $headers
     */
    public static function checkHeaders(array $headers): void
    {
        foreach ($headers as $name => $value) {
            self::check(
                preg_match('/^[A-Za-z0-9-]+$/D', (string) $name) && preg_match('/^[\x20-\x7e]*$/D', $value),
                'The header ' . json_encode((string) $name) . ' has invalid characters.',
            );
            $own = ['client-id', 'request-time', 'signature', 'content-type', 'content-length', 'host'];
            self::check(
                !in_array(strtolower((string) $name), $own, true),
                "The header {$name} is set by the library.",
            );
        }
    }

    private static function isLoopback(string $host): bool
    {
        return preg_match('/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/D', $host) === 1;
    }

    private static function check(bool|int $holds, string $sentence): void
    {
        if (!$holds) {
            throw new ConfigurationError($sentence);
        }
    }
}
