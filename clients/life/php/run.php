<?php

declare(strict_types=1);

use Tollgate\CallOptions;
use Tollgate\Errors\ConnectionError;
use Tollgate\Errors\DeclinedError;
use Tollgate\Errors\GatewayError;
use Tollgate\Errors\HttpStatusError;
use Tollgate\Errors\IdempotencyConflictError;
use Tollgate\Errors\NotFoundError;
use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Errors\TimeoutError;
use Tollgate\Http\Headers;
use Tollgate\Models\AcceptDisputeRequest;
use Tollgate\Models\Amount;
use Tollgate\Models\Env;
use Tollgate\Models\InquiryPaymentRequest;
use Tollgate\Models\InquiryRefundRequest;
use Tollgate\Models\Merchant;
use Tollgate\Models\Order;
use Tollgate\Models\PayRequest;
use Tollgate\Models\PaymentFactor;
use Tollgate\Models\PaymentMethod;
use Tollgate\Models\PaymentStatus;
use Tollgate\Models\ProductCode;
use Tollgate\Models\RefundRequest;
use Tollgate\Models\SettlementStrategy;
use Tollgate\Models\Store;
use Tollgate\Models\StoreEnv;
use Tollgate\Models\TerminalType;
use Tollgate\Money;
use Tollgate\Tollgate;
use Tollgate\Webhooks\Notification;

require __DIR__ . '/../../php/autoload.php';

set_error_handler(static function (int $level, string $text, string $file, int $line): never {
    throw new ErrorException($text, 0, $level, $file, $line);
});

$client = client(getenv('BASE_URL'));
$shaky = client(getenv('PROXY_URL'), 2_000);
$request = payRequest();
$paymentId = '';

step('pay', function () use ($client, $request, &$paymentId): void {
    $answer = $client->payments->pay($request);
    expect($answer->isPending() && $answer->normalUrl !== null, $answer);
    $paymentId = $answer->paymentId;
});

step('approve', function () use ($client, &$paymentId): void {
    control("payments/{$paymentId}/approve");
    $paid = $client->payments->waitForFinal(new InquiryPaymentRequest(paymentId: $paymentId), 20_000);
    expect($paid->paymentStatus === PaymentStatus::SUCCESS, $paid);
});

step('notification', function () use ($client, $request, &$paymentId): void {
    $told = hear($client, $paymentId, 'notifyPayment');
    expect($told->body->paymentRequestId === $request->paymentRequestId, $told);
    expect($told->subject === "notifyPayment {$paymentId}", $told);
});

step('refund-part', function () use ($client, &$paymentId): void {
    $refundAmount = Money::of('EUR', '2.50')->toAmount();
    $refundRequestId = Tollgate::newRequestId('refund');
    $refund = $client->payments->refund(new RefundRequest(
        refundRequestId: $refundRequestId,
        paymentId: $paymentId,
        refundAmount: $refundAmount,
        refundNotifyUrl: getenv('MAILBOX_URL') . '/notify',
    ));
    expect($refund->isSuccess() || $refund->isPending(), $refund);
    $inquiry = new InquiryRefundRequest(refundRequestId: $refundRequestId);
    $final = $client->payments->waitForFinalRefund($inquiry, 20_000);
    expect($final->refundStatus === 'SUCCESS' && $final->refundAmount == $refundAmount, $final);
});

step('refund-notification', function () use ($client, &$paymentId): void {
    $told = hear($client, $paymentId, 'notifyRefund');
    expect($told->body->refundStatus === 'SUCCESS', $told);
});

step('inquiry', function () use ($client, $request): void {
    $answer = $client->payments->inquiryPayment(['paymentRequestId' => $request->paymentRequestId]);
    expect($answer->paymentStatus === PaymentStatus::SUCCESS, $answer);
    expect(array_column($answer->transactions, 'transactionType') === ['REFUND'], $answer);
});

step('feed', function () use ($client, &$paymentId): void {
    $awaited = "notifyPayment {$paymentId}";
    $untilMs = hrtime(true) / 1e6 + 20_000;
    $count = 0;
    $stop = static fn (): bool => hrtime(true) / 1e6 > $untilMs;
    foreach ($client->tollgate->events(follow: true, stop: $stop) as $event) {
        if ($event->subject !== $awaited) {
            continue;
        }
        $count += 1;
        if ($count === 2) {
            break;
        }
        $other = $client->payments->pay(payRequest())->paymentId;
        control("payments/{$other}/approve");
        $awaited = "notifyPayment {$other}";
    }
    expect($count === 2, $awaited);
});

step('repeat', function () use ($client, $request, &$paymentId): void {
    $again = $client->payments->pay($request);
    expect($again->isSuccess() && $again->paymentId === $paymentId, $again);
});

step('conflict', function () use ($client, $request): void {
    $more = Money::of('EUR', '13')->toAmount();
    $other = $request->with(paymentAmount: $more, order: $request->order->with(orderAmount: $more));
    refused(IdempotencyConflictError::class, fn () => $client->payments->pay($other));
});

step('declined', function () use ($client): void {
    $poor = inStore(['declines' => 'USER_BALANCE_NOT_ENOUGH']);
    $error = refused(DeclinedError::class, fn () => $client->payments->pay($poor));
    expect($error->resultCode === 'USER_BALANCE_NOT_ENOUGH', $error);
    expect($error->requestId === $poor->paymentRequestId, $error);
});

step('not-found', function () use ($client): void {
    $nobody = new InquiryPaymentRequest(paymentId: '20260101000000');
    refused(NotFoundError::class, fn () => $client->payments->inquiryPayment($nobody));
});

step('in-store', function () use ($client): void {
    $scanned = inStore([]);
    $answer = $client->payments->pay($scanned);
    $paid = $answer->isPending() ? $client->payments->waitForFinal(idOf($scanned)) : null;
    expect($answer->isSuccess() || $paid?->paymentStatus === PaymentStatus::SUCCESS, $answer);
});

step('authorization', function () use ($client): void {
    $authState = Tollgate::newRequestId('state');
    $client->authorizations->consult([
        'customerBelongsTo' => 'GCASH',
        'authRedirectUrl' => 'https://shop.example/linked',
        'scopes' => ['AGREEMENT_PAY'],
        'authState' => $authState,
        'env' => ['terminalType' => TerminalType::WEB],
    ]);
    $redirectUrl = control("authorizations/{$authState}/agree")->redirectUrl;
    parse_str((string) parse_url($redirectUrl, PHP_URL_QUERY), $back);
    $accessToken = $client->authorizations->applyToken([
        'grantType' => 'AUTHORIZATION_CODE',
        'customerBelongsTo' => 'GCASH',
        'authCode' => $back['authCode'],
    ])->accessToken;
    $paid = $client->payments->pay(payRequest()->with(
        productCode: ProductCode::AGREEMENT_PAYMENT,
        paymentMethod: new PaymentMethod(paymentMethodType: 'GCASH', paymentMethodId: $accessToken),
    ));
    expect($paid->isSuccess(), $paid);
    expect($client->authorizations->revoke(['accessToken' => $accessToken])->isSuccess(), 'not revoked');
});

step('dispute', function () use ($client): void {
    $id = $client->payments->pay(payRequest())->paymentId;
    control("payments/{$id}/approve");
    $client->payments->waitForFinal(new InquiryPaymentRequest(paymentId: $id), 20_000);
    $notifyUrls = [['notificationKind' => 'notifyDispute', 'url' => getenv('MAILBOX_URL') . '/notify']];
    $client->tollgate->changeEndpoints(['notifyUrls' => $notifyUrls]);
    control("payments/{$id}/dispute");
    $told = hear($client, $id, 'notifyDispute');
    $accepted = $client->payments->acceptDispute(new AcceptDisputeRequest(disputeId: $told->body->disputeId));
    expect($accepted->isSuccess(), $accepted);
});

const EXPECTED = [
    'reset' => ConnectionError::class,
    'hang' => TimeoutError::class,
    'status-500' => HttpStatusError::class,
    'truncate' => ConnectionError::class,
];

foreach (array_keys(EXPECTED) as $kind) {
    step("fault-{$kind}", function () use ($client, $shaky, $kind): void {
        $once = payRequest();
        spoil($kind);
        $answer = $shaky->payments->pay($once);
        expect($answer->attempts() === 2, "{$answer->attempts()} attempts");
        paidOnce($client, $once, $answer->paymentId);
    });
}

step('fault-tamper', function () use ($client, $shaky): void {
    $once = payRequest();
    spoil('tamper');
    refused(SignatureVerificationError::class, fn () => $shaky->payments->pay($once));
    paidOnce($client, $once, $shaky->payments->pay($once)->paymentId);
});

foreach (EXPECTED as $kind => $class) {
    step("fault-{$kind}-no-retries", function () use ($client, $shaky, $kind, $class): void {
        $once = payRequest();
        spoil($kind);
        refused($class, fn () => $shaky->payments->pay($once, new CallOptions(maxRetries: 0)));
        paidOnce($client, $once, $shaky->payments->pay($once)->paymentId);
    });
}

function step(string $name, Closure $live): void
{
    try {
        $live();
        echo "{$name} ok\n";
    } catch (Throwable $error) {
        echo "{$name} FAILED ", preg_replace('/\s+/', ' ', $error::class . ': ' . $error->getMessage()), "\n";
    }
}

function expect(bool $holds, mixed $found): void
{
    if (!$holds) {
        throw new LogicException('Unexpected: ' . (is_string($found) ? $found : json_encode($found)));
    }
}

/** @param class-string<GatewayError> $class */
function refused(string $class, Closure $call): GatewayError
{
    try {
        $call();
    } catch (GatewayError $error) {
        expect($error instanceof $class, $error->name() . ': ' . $error->getMessage());
        return $error;
    }
    throw new LogicException("Expected {$class}.");
}

function client(string $baseUrl, int $timeoutMs = 30_000): Tollgate
{
    return new Tollgate(
        clientId: getenv('CLIENT_ID'),
        privateKey: file_get_contents(getenv('PRIVATE_KEY_FILE')),
        gatewayPublicKeys: file_get_contents(getenv('GATEWAY_PUBLIC_KEY_FILE')),
        baseUrl: $baseUrl,
        keyVersion: (int) getenv('KEY_VERSION'),
        environment: 'sandbox',
        timeoutMs: $timeoutMs,
    );
}

function price(): Amount
{
    return Money::of('EUR', '12.50')->toAmount();
}

function payRequest(): PayRequest
{
    return new PayRequest(
        productCode: ProductCode::CASHIER_PAYMENT,
        paymentRequestId: Tollgate::newRequestId('life'),
        order: new Order(referenceOrderId: 'order-1001', orderDescription: 'Two coffees', orderAmount: price()),
        paymentAmount: price(),
        paymentMethod: new PaymentMethod(paymentMethodType: 'GCASH'),
        paymentRedirectUrl: 'https://shop.example/thanks',
        paymentNotifyUrl: getenv('MAILBOX_URL') . '/notify?shop=1',
        env: new Env(terminalType: TerminalType::WEB),
    );
}

/** The request for a buyer who shows a code at a point of sale. */
function inStore(array $buyer): PayRequest
{
    $online = payRequest();
    $store = new Store(referenceStoreId: 'store-1', storeName: 'Coffee Lab, Harbour', storeMCC: '5814');
    return $online->with(
        productCode: ProductCode::IN_STORE_PAYMENT,
        order: $online->order->with(
            merchant: new Merchant(referenceMerchantId: 'm-1', merchantName: 'Coffee Lab', merchantMCC: '5814', store: $store),
            env: new StoreEnv(storeTerminalId: 'till-1', storeTerminalRequestTime: '2026-11-15T09:30:00+00:00'),
        ),
        paymentMethod: new PaymentMethod(paymentMethodType: 'CONNECT_WALLET', paymentMethodId: control('payment-codes', $buyer)->paymentCode),
        paymentFactor: new PaymentFactor(inStorePaymentScenario: 'PaymentCode'),
        settlementStrategy: new SettlementStrategy(settlementCurrency: 'EUR'),
    );
}

function idOf(PayRequest $sent): InquiryPaymentRequest
{
    return new InquiryPaymentRequest(paymentRequestId: $sent->paymentRequestId);
}

/** Checks that there is one payment, and one order at the provider, however often the request was sent. */
function paidOnce(Tollgate $client, PayRequest $sent, ?string $id): void
{
    expect($id !== null && $client->payments->inquiryPayment(idOf($sent))->paymentId === $id, (string) $id);
    $orders = control("orders?paymentId={$id}", null, 'GET')->orders;
    expect(count($orders) <= 1, $orders);
}

/** Calls the sandbox provider's control API, which acts as the buyer. */
function control(string $path, ?array $body = null, string $method = 'POST'): stdClass
{
    $text = http(getenv('WALLET_URL') . "/control/{$path}", $method, $body === null ? '' : json_encode((object) $body));
    return $text === '' ? new stdClass() : json_decode($text, false, 512, JSON_THROW_ON_ERROR);
}

function spoil(string $kind): void
{
    http(getenv('PROXY_URL') . '/fault', 'POST', json_encode(['kind' => $kind]));
}

function http(string $url, string $method, string $body): string
{
    return file_get_contents($url, false, stream_context_create(['http' => [
        'method' => $method,
        'header' => ['Authorization: Bearer ' . getenv('CONTROL_SECRET'), 'Content-Type: application/json'],
        'content' => $body,
    ]]));
}

/** Waits for the webhook of this kind about a record, and verifies it. */
function hear(Tollgate $client, string $about, string $kind): Notification
{
    for ($tries = 0; $tries < 100; $tries += 1) {
        foreach (json_decode(http(getenv('MAILBOX_URL') . "/mail?about={$about}", 'GET', '')) as $mail) {
            $headers = new Headers($mail->headers);
            $told = $client->webhooks->construct($mail->path, $headers, base64_decode($mail->bodyBase64), $mail->method);
            if ($told->kind === $kind) {
                return $told;
            }
        }
        usleep(200_000);
    }
    throw new LogicException("Nobody told {$kind} of {$about}.");
}
