<?php

declare(strict_types=1);

namespace Tollgate\Testing;

/**
 * For PHPUnit test cases: `$this->tollgate()` is a complete gateway, which is started once for all of them.
 */
trait StartsTollgate
{
    protected static function tollgate(): StartedTollgate
    {
        return OneTollgate::get();
    }
}
