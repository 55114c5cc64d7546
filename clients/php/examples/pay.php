<?php

require 'vendor/autoload.php';

use Tollgate\Errors\DeclinedError;
use Tollgate\Errors\GatewayError;
use Tollgate\Models\Env;
use Tollgate\Models\Order;
use Tollgate\Models\PaymentMethod;
use Tollgate\Models\PayRequest;
use Tollgate\Models\ProductCode;
use Tollgate\Models\TerminalType;
use Tollgate\Money;
use Tollgate\Tollgate;

// Client id, keys and base URL come from TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY, TOLLGATE_GATEWAY_PUBLIC_KEY and TOLLGATE_BASE_URL.
$client = new Tollgate(environment: 'sandbox');

// Store this id with the order before the call. A retry must use the same id.
$paymentRequestId = Tollgate::newRequestId('order-1001');
$amount = Money::of('EUR', '12.50')->toAmount();

try {
    $payment = $client->payments->pay(new PayRequest(
        productCode: ProductCode::CASHIER_PAYMENT,
        paymentRequestId: $paymentRequestId,
        order: new Order(referenceOrderId: 'order-1001', orderDescription: 'Two coffees', orderAmount: $amount),
        paymentAmount: $amount,
        paymentMethod: new PaymentMethod(paymentMethodType: 'GCASH'),
        paymentRedirectUrl: 'https://shop.example/thanks',
        // Without this URL you get no webhook; see notify.php.
        paymentNotifyUrl: 'https://shop.example/notify?shop=1',
        env: new Env(terminalType: TerminalType::WEB),
    ));
    // Usually the payment is pending: the buyer pays at `normalUrl`, and a webhook reports the outcome.
    if ($payment->isPending()) {
        echo "Send the buyer to {$payment->normalUrl}\n";
    }
    echo "payment {$payment->paymentId}\n";
} catch (DeclinedError $error) {
    echo "Offer another method: {$error->resultCode}\n";
} catch (GatewayError $error) {
    error_log("{$error->name()}: {$error->getMessage()} {$error->requestId} {$error->traceId}");
    throw $error;
}
