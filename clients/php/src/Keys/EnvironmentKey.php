<?php

declare(strict_types=1);

namespace Tollgate\Keys;

use Tollgate\Errors\ConfigurationError;
use Tollgate\Errors\InvalidKeyError;

/**
 * Reads a key from the environment: its text from the variable, or its file from the variable with the suffix
 * `_FILE`. If both are set, it throws, because the choice would be ambiguous.
 *
 * @internal
 */
final class EnvironmentKey
{
    /**
     * Returns null if neither variable is set.
     *
     * @template Key
     * @param \Closure(string): Key $read
     * @param \Closure(string): ?string $lookUp reads a variable
     * @return Key|null
     */
    public static function read(string $variable, \Closure $read, \Closure $lookUp): mixed
    {
        [$text, $file] = [$lookUp($variable), $lookUp("{$variable}_FILE")];
        if ($text !== null && $file !== null) {
            throw new ConfigurationError("{$variable} and {$variable}_FILE are both set. Set one of them.");
        }
        if ($file === null) {
            return $text === null ? null : $read($text);
        }
        $found = self::textOf($file, "{$variable}_FILE");
        try {
            return $read($found);
        } catch (InvalidKeyError $error) {
            throw $error->in("{$variable}_FILE: {$file}");
        }
    }

    private static function textOf(string $file, string $variable): string
    {
        if (!file_exists($file)) {
            throw new ConfigurationError(
                "{$variable} names {$file}, but this file does not exist. Working directory: " . getcwd() . '.',
            );
        }
        $text = is_dir($file) || !is_readable($file) ? false : file_get_contents($file);
        return is_string($text) ? $text : throw new ConfigurationError(
            "{$variable} names {$file}, which cannot be read: it is not a file, or this program has no permission to read it.",
        );
    }
}
