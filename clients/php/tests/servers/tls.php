<?php

declare(strict_types=1);

// Serves HTTP 503 over TLS with the certificate and the key in the file of the second argument.
[, $port, $certificate] = $argv;
$context = stream_context_create(['ssl' => ['local_cert' => $certificate, 'allow_self_signed' => true]]);
$server = stream_socket_server("tls://127.0.0.1:{$port}", $number, $error, STREAM_SERVER_BIND | STREAM_SERVER_LISTEN, $context);
if ($server === false) {
    exit($error);
}
while (true) {
    // A client that does not trust the certificate disconnects during the handshake, which is a warning here.
    $connection = @stream_socket_accept($server, 60);
    if ($connection !== false) {
        fread($connection, 65_536);
        fwrite($connection, "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        fclose($connection);
    }
}
