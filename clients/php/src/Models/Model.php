<?php

declare(strict_types=1);

namespace Tollgate\Models;

use Tollgate\Errors\MalformedResponseError;
use Tollgate\Json;

/**
 * A message of the API, or a part of one. Enums are plain strings, so that unknown values are kept. Unknown
 * fields are kept, too.
 */
abstract class Model implements \JsonSerializable
{
    /** The fields that contain models, and the classes of these models. */
    protected const SHAPES = [];

    /** @param array<string, mixed> $extra */
    protected function __construct(
        /** Fields that this version of the library does not know. They are written again unchanged. */
        public readonly array $extra,
    ) {
    }

    /** @throws MalformedResponseError if the text is not a JSON object, or has fields of other types */
    public static function fromJson(string $json): static
    {
        $fields = Json::decodeObject($json) ?? throw new MalformedResponseError('The text is not a JSON object.');
        return static::fromObject($fields);
    }

    /** @internal */
    public static function fromObject(\stdClass $fields): static
    {
        $known = static::fieldNames();
        $arguments = $extra = [];
        foreach (get_object_vars($fields) as $name => $value) {
            // PHP converts numeric array keys to integers.
            if (isset($known[$name])) {
                $arguments[$name] = self::read($value, static::SHAPES[$name] ?? null, (string) $name);
            } else {
                $extra[$name] = $value;
            }
        }
        try {
            return new static(...$arguments, extra: $extra);
        } catch (\TypeError $error) {
            $sentence = 'A field of %s is missing or has a wrong type.';
            throw new MalformedResponseError(sprintf($sentence, static::shortName()), null, $error);
        }
    }

    /** A copy with these fields changed: `$request->with(paymentAmount: $more)`. */
    final public function with(mixed ...$changes): static
    {
        return new static(...array_merge(get_object_vars($this), $changes));
    }

    /** @return array<string, mixed> all fields, as plain arrays */
    final public function toArray(): array
    {
        return json_decode(Json::encode($this), true, 128, JSON_THROW_ON_ERROR);
    }

    final public function jsonSerialize(): \stdClass
    {
        $fields = new \stdClass();
        foreach (static::fieldNames() as $name => $_) {
            if ($this->{$name} !== null) {
                $isMap = (static::SHAPES[$name][0] ?? null) === 'map';
                $fields->{$name} = $isMap ? (object) $this->{$name} : $this->{$name};
            }
        }
        foreach ($this->extra as $name => $value) {
            $fields->{$name} = $value;
        }
        return $fields;
    }

    /** @return array<string, true> */
    private static function fieldNames(): array
    {
        /** @var array<class-string, array<string, true>> $byClass */
        static $byClass = [];
        return $byClass[static::class] ??= array_diff_key(
            array_fill_keys(array_keys(get_class_vars(static::class)), true),
            ['extra' => true],
        );
    }

    private static function shortName(): string
    {
        return substr((string) strrchr(static::class, '\\'), 1);
    }

    private static function read(mixed $value, mixed $shape, string $name): mixed
    {
        if ($shape === null) {
            return $value;
        }
        if (is_string($shape)) {
            return $value instanceof \stdClass ? $shape::fromObject($value) : throw self::misfit($name);
        }
        [$kind, $of] = $shape;
        $entries = $kind === 'map' && $value instanceof \stdClass ? get_object_vars($value) : $value;
        if (!is_array($entries) || ($kind === 'map') !== ($value instanceof \stdClass)) {
            throw self::misfit($name);
        }
        return array_map(static fn (mixed $each): mixed => self::read($each, $of, $name), $entries);
    }

    private static function misfit(string $name): MalformedResponseError
    {
        return new MalformedResponseError(
            sprintf('The field %s of %s has a wrong type.', $name, static::shortName()),
        );
    }
}
