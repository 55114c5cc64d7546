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
 * A client of the gateway. Its operations are grouped as in the interface: `$client->payments->pay(…)`. Code that is
 * to be tested without a gateway asks for a `TollgateApi`, which this is; nobody has a reason to extend it.
 */
class Tollgate extends ClientAreas implements TollgateApi
{
    /** Of this library; written by `npm run version:write`. */
    public const VERSION = '1.0.0-rc.1';

    public readonly Webhooks $webhooks;
    private readonly Caller $caller;

    /**
     * What is left out is read from the environment: TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY,
     * TOLLGATE_GATEWAY_PUBLIC_KEY, TOLLGATE_BASE_URL, TOLLGATE_KEY_VERSION and TOLLGATE_ENVIRONMENT. In place of a key,
     * TOLLGATE_PRIVATE_KEY_FILE and TOLLGATE_GATEWAY_PUBLIC_KEY_FILE name the file that it stands in.
     *
     * @param string|null $privateKey yours: PEM or bare base64, PKCS#8 or PKCS#1
     * @param string|array<int, string>|null $gatewayPublicKeys the gateway's: one, or one for each key version
     * @param string|null $baseUrl scheme and host, such as `https://gateway.example`
     * @param int|null $keyVersion of your own key; 1 unless said otherwise
     * @param string|null $environment `sandbox` or `live`; sandbox by itself if the client id starts with `SANDBOX_`
     * @param int $timeoutMs for each attempt
     * @param Transport|null $transport sends the bytes: a `CurlTransport` unless given, or a `Psr18Transport`
     * @param \Closure(LogEntry): void|LoggerInterface|null $logger is told what happens, without secrets; without one,
     *     TOLLGATE_LOG=debug (info, warn) writes it to standard error
     * @param string|null $appInfo who builds on this library, such as `shop-plugin/1.4`: goes into `User-Agent`
     * @param bool $allowInsecure `http://` is for loopback only, unless this is set
     * @param bool $allowUnsignedRefusals refusals from before the caller is known may come unsigned
     * @param int $webhookToleranceSeconds how old a notification may be; 0 for any age
     * @param (\Closure(ObservedCall): (?\Closure(ObservedEnd): void))|null $observer is told when a call begins, and gives
     *     what is told how it has ended: for traces and metrics. What it throws is dropped
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

    /** The same as the property, for code that asks for a `TollgateApi`. */
    public function webhooks(): Webhooks
    {
        return $this->webhooks;
    }

    /**
     * Calls any operation by its path, such as `payments/pay`. One that the library does not know is never repeated.
     *
     * @param Model|array<string, mixed> $request
     * @throws GatewayError
     */
    public function request(string $operation, Model|array $request, ?CallOptions $options = null): AnyAnswer
    {
        return $this->caller->call($operation, $request, AnyAnswer::class, $options);
    }

    /**
     * A new id for a request, to be kept with the order before the call is made: whoever repeats a call needs the same
     * one. The prefix is for people, such as the number of the order.
     */
    public static function newRequestId(string $prefix = 'r'): string
    {
        if (preg_match('/^[\x21-\x7e]{1,30}$/D', $prefix) !== 1) {
            throw new \InvalidArgumentException('A prefix has 1 to 30 visible ASCII characters.');
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
