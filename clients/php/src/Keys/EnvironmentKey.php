<?php

declare(strict_types=1);

namespace Tollgate\Keys;

use Tollgate\Errors\ConfigurationError;
use Tollgate\Errors\InvalidKeyError;

/**
 * A key of the environment: its text stands in the variable, or in the file that its twin `…_FILE` names. That both are
 * set is refused: nobody would know which of them counts.
 *
 * @internal
 */
final class EnvironmentKey
{
    /**
     * Null if neither is set.
     *
     * @template Key
     * @param \Closure(string): Key $read
     * @param \Closure(string): ?string $lookUp a variable
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
                "{$variable} names {$file}, and there is no such file, seen from " . getcwd() . '.',
            );
        }
        $text = is_dir($file) || !is_readable($file) ? false : file_get_contents($file);
        return is_string($text) ? $text : throw new ConfigurationError(
            "{$variable} names {$file}, which cannot be read: it is no file, or its permissions keep this program out.",
        );
    }
}
