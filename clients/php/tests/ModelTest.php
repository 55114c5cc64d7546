<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\Errors\MalformedResponseError;
use Tollgate\Models\Amount;
use Tollgate\Models\Env;
use Tollgate\Models\InquiryPaymentResponse;
use Tollgate\Models\PaymentStatus;
use Tollgate\Models\PayRequest;
use Tollgate\Models\UserName;
use Tollgate\Money;

final class ModelTest extends TestCase
{
    public function testAModelIsReadAsItIsWritten(): void
    {
        $request = Shop::twoCoffees();
        self::assertEquals($request, PayRequest::fromJson(json_encode($request)));
    }

    public function testWithChangesOnlyTheGivenFields(): void
    {
        $request = Shop::twoCoffees();
        $more = $request->with(paymentAmount: new Amount(currency: 'EUR', value: '1300'));
        self::assertSame('1300', $more->paymentAmount->value);
        self::assertSame($request->order, $more->order);
        self::assertSame('1250', $request->paymentAmount->value);
    }

    public function testUnknownFieldsAndValuesAreKept(): void
    {
        $json = '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"","new":{}},'
            . '"paymentStatus":"HALF_PAID","newList":[],"newObject":{},"newNumber":1.0}';
        $answer = InquiryPaymentResponse::fromJson($json);
        self::assertSame('HALF_PAID', $answer->paymentStatus);
        self::assertNotContains($answer->paymentStatus, (new \ReflectionClass(PaymentStatus::class))->getConstants());
        self::assertEquals(json_decode($json), json_decode(json_encode($answer)));
    }

    public function testAbsentFieldsAreNotWritten(): void
    {
        self::assertSame('{"terminalType":"WEB"}', json_encode(new Env(terminalType: 'WEB')));
        self::assertSame('{}', json_encode(new UserName()));
    }

    /** @dataProvider misfits */
    public function testInvalidJsonIsRejected(string $json): void
    {
        $this->expectException(MalformedResponseError::class);
        PayRequest::fromJson($json);
    }

    /** @return list<array{string}> */
    public static function misfits(): array
    {
        $order = '"referenceOrderId":"1","orderDescription":"x","orderAmount":{"currency":"EUR","value":"1"}';
        $rest = '"productCode":"x","paymentRequestId":"1","paymentAmount":{"currency":"EUR","value":"1"},'
            . '"paymentMethod":{"paymentMethodType":"x"}';
        return [
            ['nothing'],
            ['[]'],
            ['{}'],
            ["{{$rest},\"order\":[]}"],
            ["{{$rest},\"order\":\"x\"}"],
            ["{{$rest},\"order\":{{$order},\"goods\":{}}}"],
            ["{{$rest},\"order\":{{$order},\"goods\":[7]}}"],
        ];
    }

    public function testMoneyOfDifferentCurrenciesIsNotCombined(): void
    {
        self::assertSame('EUR 12.55', (string) Money::of('EUR', '12.50')->add(Money::ofMinor('EUR', 5)));
        self::assertSame('-0.05', Money::of('EUR', '1')->subtract(Money::of('EUR', '1.05'))->toDecimal());
        self::assertSame(-1, Money::of('JPY', '9')->compare(Money::of('JPY', '10')));
        $this->expectExceptionMessage('EUR and USD are different currencies.');
        Money::of('EUR', '1')->add(Money::of('USD', '1'));
    }

    public function testANegativeAmountIsNotSent(): void
    {
        $this->expectException(\InvalidArgumentException::class);
        Money::of('EUR', '-1')->toAmount();
    }
}
