<?php

declare(strict_types=1);

namespace Tollgate\Models;

/** The answer to an operation that was called by its path: all but the result is in `extra`. */
final class AnyAnswer extends Answer
{
    protected const SHAPES = ['result' => Result::class];

    /** @param array<string, mixed> $extra */
    public function __construct(public readonly Result $result, array $extra = [])
    {
        parent::__construct($extra);
    }
}
