<?php

// A shop in one file: it starts a payment, receives the webhook, and refunds.
//
//   npx --no tollgate dev   in one terminal: the gateway, and the settings for this file
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

// After the library is published, use Composer's 'vendor/autoload.php' instead.
require __DIR__ . '/tollgate-php/autoload.php';

loadSettings();
$client = new Tollgate();
// PHP receives webhooks with its own web server, which runs this file for each request.
PHP_SAPI === 'cli-server' ? serve($client) : sell($client, (int) (getenv('PORT') ?: 3000));

/** Reads address, client id and keys, as `tollgate dev` writes them. Environment variables have precedence. */
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
        fwrite(STDERR, "No settings found. Start the gateway in this folder first: npx --no tollgate dev\n");
        exit(1);
    }
}

/**
 * Verifies, applies and acknowledges webhooks. If the response is not the acknowledgement, the gateway sends the
 * webhook again.
 */
function serve(Tollgate $client): void
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        echo "Thank you. See the terminal for the result.\n";
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

/** Update your order here, once and in a transaction: `$notification->applyOnce(…)` does this. */
function apply(Notification $notification): void
{
    $told = $notification->body;
    if ($told instanceof PaymentNotification) {
        // Check `isPaid` and never resultStatus: a pending payment has the result status S as well.
        $isPaid = $told->isPaid();
        say("verified notifyPayment: {$told->result->resultCode}, payment {$told->paymentId}" . ($isPaid ? ' (paid)' : ''));
    } elseif ($told instanceof RefundNotification) {
        say("verified notifyRefund: {$told->refundStatus}, refund {$told->refundId}");
    } else {
        say("verified {$notification->kind}");
    }
}

/** Prints to standard output, also from the web server. */
function say(string $line): void
{
    file_put_contents('php://stdout', "{$line}\n");
}

function sell(Tollgate $client, int $port): void
{
    $shopUrl = "http://127.0.0.1:{$port}";
    if (@fsockopen('127.0.0.1', $port)) {
        fwrite(STDERR, "Port {$port} is in use. Choose another: PORT=3001 php shop.php\n");
        exit(1);
    }
    $errors = ['file', DIRECTORY_SEPARATOR === '/' ? '/dev/null' : 'NUL', 'w'];
    // `$server` keeps the process handle, because PHP closes a process handle without references.
    $server = proc_open([PHP_BINARY, '-S', "127.0.0.1:{$port}", __FILE__], [1 => ['pipe', 'w'], 2 => $errors], $pipes);
    while (!@fsockopen('127.0.0.1', $port)) {
        usleep(20_000);
    }

    $price = Money::of('EUR', '12.50')->toAmount();
    $payment = $client->payments->pay(new PayRequest(
        productCode: ProductCode::CASHIER_PAYMENT,
        // Store this id with the order before you send the request: repeats with this id are the same payment.
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

    // Prints the output of the web server until Ctrl-C stops both processes.
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
            say('Still listening. Ctrl-C stops it.');
        }
    }
}
