<?php

declare(strict_types=1);

namespace Tollgate\Models;

/** A webhook that this version of the library has no type for. All its fields are in `extra`. */
final class UnknownNotification extends Model
{
    /** @param array<string, mixed> $extra */
    public function __construct(array $extra = [])
    {
        parent::__construct($extra);
    }
}
