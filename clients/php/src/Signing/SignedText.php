<?php

declare(strict_types=1);

namespace Tollgate\Signing;

/** @internal */
final class SignedText
{
    /**
     * `POST /path\nclient.time.body`, over the raw bytes of the body, never over JSON that was written again.
     * The path includes its query; a response has the path of its request. The time is the text of the
     * message's time header.
     */
    public static function of(string $method, string $path, string $clientId, string $time, string $body): string
    {
        return "{$method} {$path}\n{$clientId}.{$time}.{$body}";
    }
}
