<?php

declare(strict_types=1);

namespace Tollgate\Signing;

/** @internal */
final class SignedText
{
    /**
     * `POST /path\nclient.time.body`, over the raw bytes of the body, never over JSON that was written again. The path
     * is that of the request, also for an answer, with its query; the time is the text of its header.
     */
    public static function of(string $method, string $path, string $clientId, string $time, string $body): string
    {
        return "{$method} {$path}\n{$clientId}.{$time}.{$body}";
    }
}
