<?php

declare(strict_types=1);

namespace Tollgate\Models;

/** The response of an operation that was called by its path: all fields but the result are in `extra`. */
final class AnyAnswer extends Answer
{
    protected const SHAPES = ['result' => Result::class];

    /** @param array<string, mixed> $extra */
    public function __construct(public readonly Result $result, array $extra = [])
    {
        parent::__construct($extra);
    }
}
