<?php

declare(strict_types=1);

namespace Tollgate\Testing;

/**
 * The gateway of this process. It is not stored in the trait `StartsTollgate`, because each class that uses a
 * trait has its own copy of the trait's static properties.
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
