<?php

require 'vendor/autoload.php';

use Tollgate\Models\InStorePaymentScenario;
use Tollgate\Models\Merchant;
use Tollgate\Models\Order;
use Tollgate\Models\PaymentFactor;
use Tollgate\Models\PaymentMethod;
use Tollgate\Models\PayRequest;
use Tollgate\Models\ProductCode;
use Tollgate\Models\Store;
use Tollgate\Models\StoreEnv;
use Tollgate\Money;
use Tollgate\Till\ByCodeOptions;
use Tollgate\Till\Cancelled;
use Tollgate\Till\Declined;
use Tollgate\Till\Paid;
use Tollgate\Tollgate;

$client = new Tollgate();
$price = Money::of('EUR', '4.20')->toAmount();

// Store this id before the call. After a crash of the point of sale, `finishByCode` continues with it.
$paymentRequestId = Tollgate::newRequestId('till-1');
$request = new PayRequest(
    productCode: ProductCode::IN_STORE_PAYMENT,
    paymentRequestId: $paymentRequestId,
    paymentFactor: new PaymentFactor(inStorePaymentScenario: InStorePaymentScenario::PAYMENT_CODE),
    order: new Order(
        referenceOrderId: 'receipt-77',
        orderDescription: 'One coffee',
        orderAmount: $price,
        merchant: new Merchant(
            referenceMerchantId: 'm-1',
            merchantName: 'Coffee Lab',
            merchantMCC: '5814',
            store: new Store(referenceStoreId: 'store-1', storeName: 'Coffee Lab, Harbour', storeMCC: '5814'),
        ),
        env: new StoreEnv(storeTerminalId: 'till-1', storeTerminalRequestTime: date(DATE_ATOM)),
    ),
    paymentAmount: $price,
    // The code that the scanner read from the buyer's phone.
    paymentMethod: new PaymentMethod(paymentMethodType: 'CONNECT_WALLET', paymentMethodId: getenv('PAYMENT_CODE')),
    paymentNotifyUrl: 'https://shop.example/notify',
);
$show = static fn (string $state) => print("… {$state}\n");
$result = $client->payments->payByCode($request, new ByCodeOptions(onState: $show));

echo match (true) {
    $result instanceof Paid => "Paid at the till: {$result->paymentId}\n",
    $result instanceof Declined => "Not paid: {$result->resultCode}. {$result->advice}\n",
    $result instanceof Cancelled => $result->moneyBack ? "Cancelled. The money is returned.\n" : "Cancelled.\n",
    default => "Keep the goods, and finish {$result->paymentRequestId} later.\n",
};
