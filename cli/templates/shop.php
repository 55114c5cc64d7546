<?php

// A shop in one file: it takes a payment, is told of it, and gives the money back.
//
//   npx --no tollgate dev   in one terminal: the gateway, and the settings that are read here
//   php shop.php            in another
declare(strict_types=1);

use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Models\Env;
use Tollgate\Models\Order;
use Tollgate\Models\PaymentMethod;
use Tollgate\Models\PaymentNotification;
use Tollgate\Models\PayRequest;
use Tollgate\Models\ProductCode;
use Tollgate\Models\RefundNotification;
use Tollgate\Models\RefundRequest;
use Tollgate\Models\TerminalType;
use Tollgate\Money;
use Tollgate\Tollgate;
use Tollgate\Webhooks\Notification;

// Once the library is published, this is 'vendor/autoload.php' of Composer.
require __DIR__ . '/tollgate-php/autoload.php';

loadSettings();
$client = new Tollgate();
// PHP serves notifications with its own web server, which runs this file for each request.
PHP_SAPI === 'cli-server' ? serve($client) : sell($client, (int) (getenv('PORT') ?: 3000));

/** Address, client id and keys, as `tollgate dev` writes them. What the environment says counts before that. */
function loadSettings(): void
{
    foreach (['.env', '.tollgate/.env'] as $file) {
        $lines = is_file($file) ? file($file, FILE_IGNORE_NEW_LINES) : [];
        foreach ($lines ?: [] as $line) {
            if (preg_match('/^(TOLLGATE_\w+)=(.*)$/', $line, $found) === 1 && getenv($found[1]) === false) {
                putenv($line);
            }
        }
    }
    if (getenv('TOLLGATE_CLIENT_ID') === false) {
        fwrite(STDERR, "There are no settings here. Start the gateway in this folder first: npx --no tollgate dev\n");
        exit(1);
    }
}

/** Takes notifications: verify, apply, acknowledge. Whatever is not the acknowledgement makes the gateway come again. */
function serve(Tollgate $client): void
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        echo "Thank you. The terminal tells the rest.\n";
        return;
    }
    try {
        apply($client->webhooks->constructFromGlobals());
        header('Content-Type: application/json');
        echo $client->webhooks->ack();
    } catch (SignatureVerificationError $error) {
        say("refused: {$error->getMessage()}");
        http_response_code(401);
    }
}

/** Here you would write to your order, in a transaction, and once: `$notification->applyOnce(…)` does that part. */
function apply(Notification $notification): void
{
    $told = $notification->body;
    if ($told instanceof PaymentNotification) {
        // Never by resultStatus: a payment that is pending says S as well.
        $isPaid = $told->isPaid();
        say("verified notifyPayment: {$told->result->resultCode}, payment {$told->paymentId}" . ($isPaid ? ' (paid)' : ''));
    } elseif ($told instanceof RefundNotification) {
        say("verified notifyRefund: {$told->refundStatus}, refund {$told->refundId}");
    } else {
        say("verified {$notification->kind}");
    }
}

/** On standard output, also of the web server. */
function say(string $line): void
{
    file_put_contents('php://stdout', "{$line}\n");
}

function sell(Tollgate $client, int $port): void
{
    $shopUrl = "http://127.0.0.1:{$port}";
    if (@fsockopen('127.0.0.1', $port)) {
        fwrite(STDERR, "Port {$port} is taken. Choose another: PORT=3001 php shop.php\n");
        exit(1);
    }
    $errors = ['file', DIRECTORY_SEPARATOR === '/' ? '/dev/null' : 'NUL', 'w'];
    // Held in a variable: PHP closes what nobody holds.
    $server = proc_open([PHP_BINARY, '-S', "127.0.0.1:{$port}", __FILE__], [1 => ['pipe', 'w'], 2 => $errors], $pipes);
    while (!@fsockopen('127.0.0.1', $port)) {
        usleep(20_000);
    }

    $price = Money::of('EUR', '12.50')->toAmount();
    $payment = $client->payments->pay(new PayRequest(
        productCode: ProductCode::CASHIER_PAYMENT,
        // Store this id with the order before you call: the same id is the same payment, however often it is sent.
        paymentRequestId: Tollgate::newRequestId('order-1001'),
        order: new Order(referenceOrderId: 'order-1001', orderDescription: 'Two coffees', orderAmount: $price),
        paymentAmount: $price,
        paymentMethod: new PaymentMethod(paymentMethodType: 'GCASH'),
        paymentRedirectUrl: "{$shopUrl}/thanks",
        paymentNotifyUrl: "{$shopUrl}/notify",
        env: new Env(terminalType: TerminalType::WEB),
    ));
    say("Pay as the buyer at {$payment->normalUrl}");
    say("or with: npx --no tollgate approve {$payment->paymentId}");

    // What the web server says, until Ctrl-C ends both.
    while (($line = fgets($pipes[1])) !== false) {
        say(rtrim($line));
        if (str_contains($line, "payment {$payment->paymentId} (paid)")) {
            $refund = $client->payments->refund(new RefundRequest(
                refundRequestId: Tollgate::newRequestId('refund-1001'),
                paymentId: $payment->paymentId,
                refundAmount: $price,
                refundNotifyUrl: "{$shopUrl}/notify",
            ));
            say("refunded: {$refund->result->resultCode}");
            say('Still listening. Ctrl-C ends it.');
        }
    }
}
