<?php

declare(strict_types=1);

namespace Tollgate\Testing;

/** A response of a `FakeGateway`. */
final class Reply
{
    /**
     * @param array<string, mixed> $body
     * @param array<string, string> $headers
     */
    public function __construct(
        public readonly array $body = [],
        public readonly int $status = 200,
        public readonly array $headers = [],
        /** The connection breaks, so the outcome is unknown. */
        public readonly bool $isReset = false,
    ) {
    }

    /** @param array<string, mixed> $more */
    public static function success(array $more = []): self
    {
        return self::result('SUCCESS', 'S', $more);
    }

    /** @param array<string, mixed> $more */
    public static function result(string $code, string $status, array $more = []): self
    {
        $result = ['resultCode' => $code, 'resultStatus' => $status, 'resultMessage' => ''];
        return new self(['result' => $result] + $more);
    }

    public static function reset(): self
    {
        return new self(isReset: true);
    }
}
