<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Errors\ConfigurationError;
use Tollgate\Http\Transport;
use Tollgate\Keys\EnvironmentKey;
use Tollgate\Keys\GatewayKeys;
use Tollgate\Keys\PrivateKey;

/**
 * A client's settings, checked and complete.
 *
 * @internal
 */
final class Settings
{
    private const OWN_KEY = "The gateway's public key is the public half of your own key, so no answer will verify. "
        . 'Take the key that the gateway showed you when you registered yours.';

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
        self::check($keyVersion >= 1, 'A key version is 1 or more.');
        self::check($timeoutMs > 0, 'timeoutMs has to be more than 0.');
        self::check($connectTimeoutMs > 0, 'connectTimeoutMs has to be more than 0.');
        self::check($maxRetries >= 0, 'maxRetries must not be less than 0.');
        self::checkHeaders($headers);
        if ($gatewayKeys->isHalfOf($privateKey)) {
            $log->write(new LogEntry(LogEntry::WARNING, self::OWN_KEY));
        }
    }

    /** What may be seen when a client is dumped. */
    public function __debugInfo(): array
    {
        return ['clientId' => $this->clientId, 'baseUrl' => $this->baseUrl, 'isSandbox' => $this->isSandbox];
    }

    public static function clientId(?string $given): string
    {
        $clientId = self::given($given, 'clientId', 'CLIENT_ID');
        $isVisible = preg_match('/^[\x21-\x7e]{1,64}$/D', $clientId);
        self::check($isVisible, 'A client id has 1 to 64 visible ASCII characters.');
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

    /** The option if it is given, or else the variable TOLLGATE_… of the environment. */
    public static function given(#[\SensitiveParameter] mixed $option, string $name, string $variable): mixed
    {
        return $option
            ?? self::fromEnvironment($variable)
            ?? throw new ConfigurationError("There is no {$name}: pass it, or set TOLLGATE_{$variable}.");
    }

    /**
     * The key if it is given, or else that of the variable TOLLGATE_… or of the file that TOLLGATE_…_FILE names.
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
        // Loaders of .env files fill one or the other.
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
            "The base URL has to be like https://gateway.example, and is {$baseUrl}.",
        );
        $other = array_diff(array_keys($parts), ['scheme', 'host', 'port', 'path']);
        self::check(
            $other === [] && trim($parts['path'] ?? '', '/') === '',
            'The base URL has a scheme and a host and nothing else: paths are signed.',
        );
        self::check(
            $scheme === 'https' || $allowInsecure || self::isLoopback($host),
            'The base URL has to be https://. Unencrypted calls are for loopback only.',
        );
        return "{$scheme}://{$host}" . (isset($parts['port']) ? ":{$parts['port']}" : '');
    }

    public static function isSandbox(string $clientId, ?string $environment): bool
    {
        return match ($environment) {
            null => str_starts_with($clientId, 'SANDBOX_'),
            'sandbox' => true,
            'live' => false,
            default => throw new ConfigurationError("The environment is sandbox or live, and not {$environment}."),
        };
    }

    /**
     * Nothing that is passed as a header may become two.
     *
     * @param array<array-key, string> $headers
     */
    public static function checkHeaders(array $headers): void
    {
        foreach ($headers as $name => $value) {
            self::check(
                preg_match('/^[A-Za-z0-9-]+$/D', (string) $name) && preg_match('/^[\x20-\x7e]*$/D', $value),
                'The header ' . json_encode((string) $name) . ' has characters that no header may have.',
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
