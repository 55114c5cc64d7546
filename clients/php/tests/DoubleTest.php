<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\Areas\PaymentsArea;
use Tollgate\Models\CancelRequest;
use Tollgate\Tollgate;

/** What a merchant's tests do with the library. */
final class DoubleTest extends TestCase
{
    public function testAClientAndItsAreasCanBeDoubled(): void
    {
        $payments = $this->createMock(PaymentsArea::class);
        $payments->expects(self::once())->method('cancel')->willThrowException(new \RuntimeException('as told'));
        self::assertInstanceOf(Tollgate::class, $this->createMock(Tollgate::class));
        $this->expectExceptionMessage('as told');
        $payments->cancel(new CancelRequest(paymentId: '1'));
    }
}
