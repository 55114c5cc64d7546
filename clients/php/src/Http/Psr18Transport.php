<?php

declare(strict_types=1);

namespace Tollgate\Http;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Tollgate\Errors\ConfigurationError;
use Tollgate\Errors\ConnectionError;

/**
 * Sends with your own PSR-18 client. PSR-18 has no timeouts and redirects, so configure both in your client:
 * about 15 s to connect and 30 s in total, TLS verified, redirects off.
 */
final class Psr18Transport implements Transport
{
    private readonly ClientInterface $client;
    private readonly RequestFactoryInterface $requests;
    private readonly StreamFactoryInterface $streams;

    /**
     * The parameters have the type `object`, because this library does not depend on psr/*.
     *
     * @param object $client a PSR-18 client
     * @param object $factory a PSR-17 factory of requests and of streams
     * @param object|null $streams a PSR-17 factory of streams, if the first factory does not create them
     */
    public function __construct(object $client, object $factory, ?object $streams = null)
    {
        $streams ??= $factory;
        if (!$client instanceof ClientInterface) {
            throw new ConfigurationError($client::class . ' is no PSR-18 client (ClientInterface).');
        }
        if (!$factory instanceof RequestFactoryInterface) {
            throw new ConfigurationError($factory::class . ' does not create requests (PSR-17: RequestFactoryInterface).');
        }
        if (!$streams instanceof StreamFactoryInterface) {
            throw new ConfigurationError($streams::class . ' does not create streams (PSR-17: StreamFactoryInterface).');
        }
        [$this->client, $this->requests, $this->streams] = [$client, $factory, $streams];
    }

    public function send(TransportRequest $request): TransportResponse
    {
        try {
            return self::read($this->client->sendRequest($this->message($request)), $request->answerBytesMax);
        } catch (ClientExceptionInterface | \RuntimeException $cause) {
            $sentence = 'The gateway could not be reached, or the connection broke, or it took too long.';
            throw new ConnectionError($sentence, null, $cause);
        }
    }

    private function message(TransportRequest $request): RequestInterface
    {
        $message = $this->requests->createRequest($request->method, $request->url);
        foreach ($request->headers as $name => $value) {
            $message = $message->withHeader($name, $value);
        }
        return $message->withBody($this->streams->createStream($request->body));
    }

    private static function read(ResponseInterface $response, int $bytesMax): TransportResponse
    {
        $headers = Headers::of(array_map(array_values(...), $response->getHeaders()));
        $stream = $response->getBody();
        if ($stream->isSeekable()) {
            $stream->rewind();
        }
        $body = '';
        while (strlen($body) <= $bytesMax && !$stream->eof()) {
            $body .= $stream->read($bytesMax + 1 - strlen($body));
        }
        return new TransportResponse($response->getStatusCode(), $headers, $body);
    }
}
