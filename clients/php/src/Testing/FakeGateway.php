<?php

declare(strict_types=1);

namespace Tollgate\Testing;

use Tollgate\Errors\ConnectionError;
use Tollgate\Http\Headers;
use Tollgate\Http\Transport;
use Tollgate\Http\TransportRequest;
use Tollgate\Http\TransportResponse;
use Tollgate\Json;
use Tollgate\Keys\PrivateKey;
use Tollgate\Keys\PublicKey;
use Tollgate\Signing\SignatureHeader;
use Tollgate\Signing\SignedText;
use Tollgate\Signing\WireTime;

/** A gateway in memory that sends its signed responses in order. Pass it as the `transport` of a client. */
final class FakeGateway implements Transport
{
    /** @var list<TransportRequest> the requests so far */
    public array $requests = [];
    private readonly PrivateKey $key;

    /**
     * @param list<array<string, mixed>|Reply> $replies the response bodies, or complete replies
     * @param string $privateKey the private key of the test's gateway
     */
    public function __construct(
        private readonly array $replies,
        #[\SensitiveParameter] string $privateKey,
        private readonly int $keyVersion = 1,
    ) {
        $this->key = PrivateKey::of($privateKey);
    }

    public function send(TransportRequest $request): TransportResponse
    {
        $reply = $this->replies[count($this->requests)] ?? null;
        $this->requests[] = $request;
        if ($reply === null) {
            throw new \LogicException('There is no response number ' . count($this->requests) . '.');
        }
        $reply = $reply instanceof Reply ? $reply : new Reply($reply);
        if ($reply->isReset) {
            throw new ConnectionError('The connection was reset.');
        }
        $body = Json::encode((object) $reply->body);
        $headers = $this->signatureHeaders($request, $body) + $reply->headers;
        return new TransportResponse($reply->status, Headers::of($headers), $body);
    }

    /**
     * Verifies that the owner of the public key signed the request, and returns its body.
     *
     * @return array<string, mixed>
     */
    public static function verifyRequest(TransportRequest $request, string $publicKey): array
    {
        ['client-id' => $clientId, 'request-time' => $time, 'signature' => $value] = $request->headers;
        $header = SignatureHeader::read([$value]);
        $signature = is_string($header) ? null : $header->decoded();
        if ($signature === null) {
            throw new \RuntimeException('The request has no valid signature header.');
        }
        $path = (string) parse_url($request->url, PHP_URL_PATH);
        $text = SignedText::of($request->method, $path, $clientId, $time, $request->body);
        if (!PublicKey::of($publicKey)->verify($text, $signature)) {
            throw new \RuntimeException('The signature does not match.');
        }
        return json_decode($request->body, true, 128, JSON_THROW_ON_ERROR);
    }

    /** @return array<string, string> */
    private function signatureHeaders(TransportRequest $request, string $body): array
    {
        // The response's time is the request's time: the client may have a fake clock, and rejects a response
        // that is too old.
        $time = WireTime::write((int) ($request->headers['request-time'] ?? 0));
        $clientId = $request->headers['client-id'] ?? '';
        $path = (string) parse_url($request->url, PHP_URL_PATH);
        $signature = $this->key->sign(SignedText::of('POST', $path, $clientId, $time, $body));
        return [
            'signature' => SignatureHeader::write($this->keyVersion, $signature),
            'response-time' => $time,
            'client-id' => $clientId,
        ];
    }
}
