<?php

declare(strict_types=1);

namespace Tollgate\Webhooks;

use Psr\Http\Message\RequestInterface;
use Tollgate\Clock;
use Tollgate\Errors\MalformedResponseError;
use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Http\Headers;
use Tollgate\Keys\GatewayKeys;
use Tollgate\Keys\PrivateKey;
use Tollgate\Settings;
use Tollgate\Signing\Received;
use Tollgate\Signing\SignatureHeader;
use Tollgate\Signing\SignedText;
use Tollgate\Signing\Verifier;
use Tollgate\Signing\WireTime;
use Tollgate\SystemClock;

/** Receives the webhooks that the gateway sends to your endpoint. */
final class Webhooks
{
    /** @internal use `$client->webhooks`, or `Webhooks::of` */
    public function __construct(
        private readonly string $clientId,
        private readonly GatewayKeys $gatewayKeys,
        private readonly Clock $clock,
        private readonly int $toleranceSeconds,
    ) {
    }

    /**
     * Creates a receiver for a service that only receives webhooks. The service has only public keys, so an
     * attacker who reads them cannot pay or refund. Missing options are read from TOLLGATE_CLIENT_ID, and
     * TOLLGATE_GATEWAY_PUBLIC_KEY or TOLLGATE_GATEWAY_PUBLIC_KEY_FILE.
     *
     * @param string|array<int, string>|null $gatewayPublicKeys the gateway's public key: one, or one for each
     *     key version
     * @param int $webhookToleranceSeconds maximum age of a webhook; 0 accepts any age
     */
    public static function of(
        ?string $clientId = null,
        string|array|null $gatewayPublicKeys = null,
        int $webhookToleranceSeconds = 300,
        ?Clock $clock = null,
    ): self {
        return new self(
            Settings::clientId($clientId),
            Settings::gatewayKeys($gatewayPublicKeys),
            $clock ?? new SystemClock(),
            Settings::webhookTolerance($webhookToleranceSeconds),
        );
    }

    /**
     * Verifies a webhook, and only then parses it.
     *
     * @param string $path path and query of the request
     * @param Headers|array<array-key, string|list<string>> $headers in the form of any framework: name to
     *     value or values
     * @param mixed $body the raw bytes, never the parsed body
     * @throws SignatureVerificationError if the message may not be from the gateway: respond with HTTP 401
     * @throws MalformedResponseError if the message is from the gateway, but not a webhook
     */
    public function construct(string $path, Headers|array $headers, mixed $body, string $method = 'POST'): Notification
    {
        if (!is_string($body)) {
            throw new SignatureVerificationError(SignatureVerificationError::BODY_ALREADY_PARSED);
        }
        $headers = is_array($headers) ? Headers::of($headers) : $headers;
        $message = new Received($method, $path, $this->clientId, $headers, $body, 'request-time');
        $verified = Verifier::verify($message, $this->gatewayKeys);
        if (is_string($verified)) {
            throw new SignatureVerificationError($verified);
        }
        $nowMs = $this->clock->now();
        $problem = Verifier::timeProblem($verified->time, $nowMs, $this->toleranceSeconds);
        if ($problem !== null) {
            throw new SignatureVerificationError($problem);
        }
        return new Notification($body, $verified);
    }

    /** Verifies the webhook in the request that PHP is handling, and only then parses it. */
    public function constructFromGlobals(): Notification
    {
        return $this->construct(
            path: (string) ($_SERVER['REQUEST_URI'] ?? ''),
            headers: Headers::ofServer($_SERVER),
            body: file_get_contents('php://input'),
            method: (string) ($_SERVER['REQUEST_METHOD'] ?? 'POST'),
        );
    }

    /**
     * Verifies the webhook in a PSR-7 request, as in Slim, Mezzio and PSR-15 middleware, and only then parses
     * it.
     */
    public function constructFromPsr7(RequestInterface $request): Notification
    {
        // The headers are read one by one, because some libraries list headers under other names.
        $names = ['signature', 'request-time', 'client-id'];
        return $this->construct(
            path: $request->getRequestTarget(),
            headers: array_combine($names, array_map($request->getHeader(...), $names)),
            body: (string) $request->getBody(),
            method: $request->getMethod(),
        );
    }

    /** The exact body that acknowledges a webhook. Send it with HTTP 200 and as JSON. */
    public function ack(): string
    {
        return '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}';
    }

    /**
     * The headers that the gateway would send with this body, for tests of an endpoint.
     *
     * @param string $privateKey the private key of the test's gateway
     * @return array<string, string>
     */
    public function sign(
        string $path,
        string $body,
        #[\SensitiveParameter] string $privateKey,
        int $keyVersion = 1,
    ): array {
        $clientId = $this->clientId;
        $time = WireTime::write($this->clock->now());
        $signature = PrivateKey::of($privateKey)->sign(SignedText::of('POST', $path, $clientId, $time, $body));
        return [
            'content-type' => 'application/json; charset=UTF-8',
            'client-id' => $clientId,
            'request-time' => $time,
            'signature' => SignatureHeader::write($keyVersion, $signature),
        ];
    }
}
