<?php

declare(strict_types=1);

namespace Tollgate\Testing;

/**
 * A trait for PHPUnit test cases: `$this->tollgate()` is a complete gateway, which is started once for all
 * test cases.
 */
trait StartsTollgate
{
    protected static function tollgate(): StartedTollgate
    {
        return OneTollgate::get();
    }
}
