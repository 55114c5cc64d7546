<?php

declare(strict_types=1);

namespace Tollgate\Testing;

/**
 * The gateway of this process. Not in the trait, because each class that uses a trait has its own copy of its
 * static properties.
 *
 * @internal
 */
final class OneTollgate
{
    private static ?StartedTollgate $started = null;

    public static function get(): StartedTollgate
    {
        return self::$started ??= StartedTollgate::start();
    }
}
