<?php

declare(strict_types=1);

namespace Tollgate;

use Psr\Log\LoggerInterface;
use Tollgate\Areas\ClientAreas;
use Tollgate\Errors\GatewayError;
use Tollgate\Http\CurlTransport;
use Tollgate\Http\Transport;
use Tollgate\Keys\PrivateKey;
use Tollgate\Models\AnyAnswer;
use Tollgate\Models\Model;
use Tollgate\Webhooks\Webhooks;

/**
 * A client of the gateway. Its operations are grouped by area as in the API: `$client->payments->pay(…)`.
 * Code that is tested without a gateway can depend on the interface `TollgateApi`. Do not extend this class.
 */
class Tollgate extends ClientAreas implements TollgateApi
{
    /** The version of this library; written by `npm run version:write`. */
    public const VERSION = '1.0.0-rc.1';

    public readonly Webhooks $webhooks;
    private readonly Caller $caller;

    /**
     * Missing options are read from environment variables: TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY,
     * TOLLGATE_GATEWAY_PUBLIC_KEY, TOLLGATE_BASE_URL, TOLLGATE_KEY_VERSION and TOLLGATE_ENVIRONMENT. Instead
     * of a key's text, TOLLGATE_PRIVATE_KEY_FILE and TOLLGATE_GATEWAY_PUBLIC_KEY_FILE can name the key's
     * file.
     *
     * @param string|null $privateKey your private key: PEM or bare base64, PKCS#8 or PKCS#1
     * @param string|array<int, string>|null $gatewayPublicKeys the gateway's public key: one, or one for each
     *     key version
     * @param string|null $baseUrl scheme and host, such as `https://gateway.example`
     * @param int|null $keyVersion the version of your own key (default 1)
     * @param string|null $environment `sandbox` or `live`; the default is sandbox if the client id starts
     *     with `SANDBOX_`
     * @param int $timeoutMs for each attempt
     * @param Transport|null $transport sends the bytes (default `CurlTransport`); `Psr18Transport` is an
     *     alternative
     * @param \Closure(LogEntry): void|LoggerInterface|null $logger receives log entries, without secrets;
     *     without a logger, TOLLGATE_LOG=debug (info, warn) writes them to standard error
     * @param string|null $appInfo the application or plugin that uses this library, such as
     *     `shop-plugin/1.4`; appended to `User-Agent`
     * @param bool $allowInsecure allows `http://` for addresses other than loopback
     * @param bool $allowUnsignedRefusals accepts unsigned rejections, which the gateway may send before it
     *     authenticates the client
     * @param int $webhookToleranceSeconds maximum age of a webhook; 0 accepts any age
     * @param (\Closure(ObservedCall): (?\Closure(ObservedEnd): void))|null $observer called when a call
     *     starts; returns a function that is called when the call ends: for traces and metrics. Errors of an
     *     observer are ignored
     */
    public function __construct(
        ?string $clientId = null,
        #[\SensitiveParameter] ?string $privateKey = null,
        string|array|null $gatewayPublicKeys = null,
        ?string $baseUrl = null,
        ?int $keyVersion = null,
        ?string $environment = null,
        int $timeoutMs = 30_000,
        int $connectTimeoutMs = 15_000,
        int $maxRetries = 2,
        ?Transport $transport = null,
        \Closure|LoggerInterface|null $logger = null,
        ?Clock $clock = null,
        ?string $agentToken = null,
        ?string $appInfo = null,
        bool $allowInsecure = false,
        bool $allowUnsignedRefusals = true,
        int $webhookToleranceSeconds = 300,
        ?\Closure $observer = null,
    ) {
        $clientId = Settings::clientId($clientId);
        $settings = new Settings(
            clientId: $clientId,
            privateKey: Settings::keyGiven($privateKey, 'privateKey', 'PRIVATE_KEY', PrivateKey::of(...)),
            keyVersion: $keyVersion ?? (int) (Settings::fromEnvironment('KEY_VERSION') ?? 1),
            gatewayKeys: Settings::gatewayKeys($gatewayPublicKeys),
            baseUrl: Settings::origin(Settings::given($baseUrl, 'baseUrl', 'BASE_URL'), $allowInsecure),
            isSandbox: Settings::isSandbox($clientId, $environment ?? Settings::fromEnvironment('ENVIRONMENT')),
            timeoutMs: $timeoutMs,
            connectTimeoutMs: $connectTimeoutMs,
            maxRetries: $maxRetries,
            transport: $transport ?? new CurlTransport(),
            log: new Log($logger),
            observer: $observer,
            clock: $clock ?? new SystemClock(),
            headers: self::headers($agentToken, $appInfo),
            allowUnsignedRefusals: $allowUnsignedRefusals,
        );
        $this->caller = new Caller($settings);
        $tolerance = Settings::webhookTolerance($webhookToleranceSeconds);
        $this->webhooks = new Webhooks($clientId, $settings->gatewayKeys, $settings->clock, $tolerance);
        parent::__construct($this->caller);
    }

    /** Returns the property `webhooks`, for code that depends on the interface `TollgateApi`. */
    public function webhooks(): Webhooks
    {
        return $this->webhooks;
    }

    /**
     * Calls any operation by its path, such as `payments/pay`. An operation that the library does not know is
     * never retried.
     *
     * @param Model|array<string, mixed> $request
     * @throws GatewayError
     */
    public function request(string $operation, Model|array $request, ?CallOptions $options = null): AnyAnswer
    {
        return $this->caller->call($operation, $request, AnyAnswer::class, $options);
    }

    /**
     * Creates an id for a request. Store it with the order before the call, because a retry must use the same
     * id. The prefix is for people, such as the order number.
     */
    public static function newRequestId(string $prefix = 'r'): string
    {
        if (preg_match('/^[\x21-\x7e]{1,30}$/D', $prefix) !== 1) {
            throw new \InvalidArgumentException('A prefix must have 1 to 30 visible ASCII characters.');
        }
        return $prefix . '-' . bin2hex(random_bytes(16));
    }

    /** @return array<string, string> */
    private static function headers(?string $agentToken, ?string $appInfo): array
    {
        $who = 'tollgate-php/' . self::VERSION . ' (php ' . PHP_VERSION . ')';
        $headers = ['user-agent' => $appInfo === null ? $who : "{$who} {$appInfo}", 'agent-token' => $agentToken];
        return array_filter($headers, static fn (?string $value): bool => $value !== null);
    }
}
