<?php

declare(strict_types=1);

namespace Tollgate;

/**
 * JSON, with objects kept as objects, so that an empty object is not written as a list.
 *
 * @internal
 */
final class Json
{
    /** The maximum depth of JSON: deeper than any message of the API, and low enough for every system. */
    private const DEPTH = 128;

    public static function encode(mixed $value): string
    {
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION;
        return json_encode($value, $flags, self::DEPTH);
    }

    /** The wire form of a model as a plain object. */
    public static function copy(\JsonSerializable $model): \stdClass
    {
        return json_decode(self::encode($model), false, self::DEPTH, JSON_THROW_ON_ERROR);
    }

    /** Parses a JSON object without nulls; null if the text is anything else. */
    public static function decodeObject(string $text): ?\stdClass
    {
        $value = json_decode($text, false, self::DEPTH);
        return $value instanceof \stdClass ? self::withoutNulls($value) : null;
    }

    /**
     * Returns the same value without nulls, because on the wire null and absent are equivalent.
     *
     * @template Value
     * @param Value $value
     * @return Value
     */
    private static function withoutNulls(mixed $value): mixed
    {
        if ($value instanceof \stdClass) {
            foreach (get_object_vars($value) as $name => $each) {
                if ($each === null) {
                    unset($value->{$name});
                } else {
                    $value->{$name} = self::withoutNulls($each);
                }
            }
            return $value;
        }
        if (is_array($value)) {
            $there = array_filter($value, static fn (mixed $each): bool => $each !== null);
            return array_map(self::withoutNulls(...), array_values($there));
        }
        return $value;
    }
}
