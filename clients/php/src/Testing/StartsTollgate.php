<?php

declare(strict_types=1);

namespace Tollgate\Testing;

/** For test cases of PHPUnit: `$this->tollgate()` is a whole gateway, which is started once for all of them. */
trait StartsTollgate
{
    protected static function tollgate(): StartedTollgate
    {
        return OneTollgate::get();
    }
}
