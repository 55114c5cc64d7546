<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\Errors\ConfigurationError;
use Tollgate\Time;

final class TimeTest extends TestCase
{
    public function testTimesAreParsedAndFormattedAsTheApiRequires(): void
    {
        $at = Time::parse('2026-11-15T09:30:07+02:00');
        self::assertSame('2026-11-15T07:30:07+00:00', Time::format($at));
        $this->expectException(ConfigurationError::class);
        Time::parse('soon');
    }
}
