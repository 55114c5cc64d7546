<?php

declare(strict_types=1);

namespace Tollgate\Http;

/** Received headers. Names are case-insensitive and can occur more than once. */
final class Headers
{
    /** @param list<array{string, string}> $pairs names and values, in order */
    public function __construct(public readonly array $pairs)
    {
    }

    /**
     * Reads the format of frameworks: name to value, or name to list of values.
     *
     * @param array<array-key, string|list<string>> $headers
     */
    public static function of(array $headers): self
    {
        $pairs = [];
        foreach ($headers as $name => $values) {
            foreach ((array) $values as $value) {
                $pairs[] = [(string) $name, (string) $value];
            }
        }
        return new self($pairs);
    }

    /**
     * Reads `$_SERVER`, where `Request-Time` is `HTTP_REQUEST_TIME`.
     *
     * @param array<array-key, mixed> $server
     */
    public static function ofServer(array $server): self
    {
        $pairs = [];
        foreach ($server as $name => $value) {
            if (is_string($name) && is_string($value) && str_starts_with($name, 'HTTP_')) {
                $pairs[] = [str_replace('_', '-', substr($name, 5)), $value];
            }
        }
        return new self($pairs);
    }

    public function first(string $name): ?string
    {
        return $this->all($name)[0] ?? null;
    }

    /** @return list<string> */
    public function all(string $name): array
    {
        $same = array_filter($this->pairs, static fn (array $pair): bool => strcasecmp($pair[0], $name) === 0);
        return array_column($same, 1);
    }
}
