<?php

declare(strict_types=1);

// A server for `php -S`: a merchant's endpoint at /notify, and on other paths a gateway that echoes requests
// as signed responses.

use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Keys\PrivateKey;
use Tollgate\Signing\SignatureHeader;
use Tollgate\Signing\SignedText;
use Tollgate\Tollgate;

require __DIR__ . '/../../autoload.php';

header('Content-Type: application/json;charset=UTF-8');
if (str_starts_with($_SERVER['REQUEST_URI'], '/notify')) {
    try {
        $client = new Tollgate(baseUrl: 'https://gateway.example');
        $told = $client->webhooks->constructFromGlobals();
        header("Told: {$told->kind} {$told->sequence}");
        echo $client->webhooks->ack();
    } catch (SignatureVerificationError $error) {
        http_response_code(401);
        echo json_encode(['problem' => $error->reason]);
    }
    return;
}
$sent = file_get_contents('php://input');
$body = json_encode([
    'result' => ['resultCode' => 'SUCCESS', 'resultStatus' => 'S', 'resultMessage' => 'success.'],
    'sent' => json_decode($sent),
    'expect' => $_SERVER['HTTP_EXPECT'] ?? 'nothing',
]);
$time = gmdate('Y-m-d\TH:i:s') . '+00:00';
$text = SignedText::of('POST', $_SERVER['REQUEST_URI'], $_SERVER['HTTP_CLIENT_ID'], $time, $body);
header('signature: ' . SignatureHeader::write(1, PrivateKey::of(getenv('TEST_GATEWAY_PRIVATE_KEY'))->sign($text)));
header("response-time: {$time}");
header("client-id: {$_SERVER['HTTP_CLIENT_ID']}");
echo $body;
