<?php

declare(strict_types=1);

// Builds the package, installs its archive into an empty project without a network, and runs the examples
// there against a real gateway. Needs composer, node and tar. Frameworks that are not installed are skipped
// and listed.

const HERE = __DIR__;

set_error_handler(static function (int $level, string $text, string $file, int $line): never {
    throw new ErrorException($text, 0, $level, $file, $line);
});

$project = install();
$gateway = startGateway();
$done = 0;
try {
    $paid = example('pay.php');
    preg_match('/^payment (\d+)$/m', $paid, $match) ?: throw new RuntimeException("There is no payment in: {$paid}");
    approve($match[1]);
    expect(example('wait.php', ['PAYMENT_ID' => $match[1]]), 'SUCCESS 1250 EUR');
    expect(example('refund.php', ['PAYMENT_ID' => $match[1]]), 'SUCCESS');
    expect(example('unit-test.php'), 'ok');
    expect(example('log.php'), 'tollgate/inquiryOpenRecords: SUCCESS after');
    expect(example('till.php', ['PAYMENT_CODE' => paymentCode()]), 'Paid at the till: ');
    $done += 6;
    $endpoints = [HERE . '/tests/servers/plain.php' => null];
    $endpoints += [HERE . '/tests/servers/laravel.php' => 'Illuminate/autoload.php', HERE . '/examples/notify-slim.php' => 'Slim/autoload.php'];
    foreach ($endpoints as $file => $needed) {
        $done += isThere($needed, $file) ? hear($file) : 0;
    }
    // The webhooks have already updated the orders, so the feed has no new events for these orders.
    expect(example('feed.php'), 'old news');
    $done += 1;
    if (isThere('GuzzleHttp/autoload.php', 'psr18.php')) {
        expect(example('psr18.php'), 'ORDER_NOT_EXIST');
        $done += 1;
    }
} finally {
    proc_terminate($gateway->process, SIGTERM);
    proc_close($gateway->process);
    shell("rm -r {$project}");
}
echo "php examples: {$done} ok\n";

/** An empty project that contains the package. */
function install(): string
{
    $project = sys_get_temp_dir() . '/tollgate-php-' . bin2hex(random_bytes(6));
    mkdir("{$project}/package", 0o700, true);
    shell('composer archive --quiet --working-dir=' . HERE . " --format=tar.gz --dir={$project}");
    [$archive] = glob("{$project}/*.tar.gz");
    shell("tar -xzf {$archive} -C {$project}/package");
    file_put_contents("{$project}/composer.json", json_encode([
        'require' => ['tollgate/client' => '*@RC'],
        'repositories' => [
            ['type' => 'path', 'url' => 'package', 'options' => ['symlink' => false]],
            ['packagist' => false],
        ],
    ]));
    shell("COMPOSER_DISABLE_NETWORK=1 COMPOSER_HOME={$project}/.home composer install --quiet --working-dir={$project}");
    echo 'installed from an archive of ', filesize($archive), " bytes, without a network\n";
    return $project;
}

/** Starts a complete local Tollgate. */
function startGateway(): stdClass
{
    $command = ['node', HERE . '/../../scripts/dev.ts', '--json'];
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => STDERR], $pipes, HERE . '/../..');
    $line = (string) fgets($pipes[1]);
    $ready = json_decode($line, false, 512, JSON_THROW_ON_ERROR);
    return (object) ['process' => $process, 'out' => $pipes[1], 'line' => $line, ...(array) $ready];
}

/** @return array<string, string> */
function variables(): array
{
    global $gateway, $project;
    return [
        'TOLLGATE_CLIENT_ID' => $gateway->clientId,
        'TOLLGATE_PRIVATE_KEY' => file_get_contents($gateway->merchantPrivateKeyFile),
        'TOLLGATE_GATEWAY_PUBLIC_KEY' => file_get_contents($gateway->gatewayPublicKeyFile),
        'TOLLGATE_BASE_URL' => $gateway->baseUrl,
        'TOLLGATE_KEY_VERSION' => (string) $gateway->keyVersion,
        'DATABASE_FILE' => "{$project}/shop.sqlite",
    ] + getenv();
}

/**
 * Returns the command that runs a file after the frameworks are loaded, because `php -S` does not support
 * `auto_prepend_file`.
 *
 * @return list<string>
 */
function php(string $file, string ...$words): array
{
    global $project;
    $started = "{$project}/start-" . basename($file);
    $frameworks = HERE . '/tests/servers/frameworks.php';
    file_put_contents($started, "<?php\nrequire '{$frameworks}';\nrequire '{$file}';\n");
    return [PHP_BINARY, '-d', 'zend.assertions=1', ...$words, $started];
}

/** Runs an example and returns its output. */
function example(string $name, array $more = []): string
{
    global $project;
    $file = HERE . "/examples/{$name}";
    $process = proc_open(php($file), [1 => ['pipe', 'w'], 2 => STDERR], $pipes, $project, $more + variables());
    $said = stream_get_contents($pipes[1]);
    if (proc_close($process) !== 0) {
        throw new RuntimeException("{$name} failed: {$said}");
    }
    return $said;
}

/** Starts an endpoint, and runs the webhook tests that every receiver must pass. */
function hear(string $file): int
{
    global $gateway, $project;
    $port = freePort();
    $log = "{$project}/endpoint.log";
    $command = php($file, '-S', "127.0.0.1:{$port}");
    $process = proc_open($command, [1 => ['file', '/dev/null', 'w'], 2 => ['file', $log, 'w']], $pipes, $project, variables());
    try {
        $trial = ['node', HERE . '/../life/receiver-tests.ts', "http://127.0.0.1:{$port}"];
        $trying = proc_open($trial, [1 => STDOUT, 2 => STDERR], $pipes, HERE, ['TOLLGATE_DEV' => $gateway->line] + getenv());
        if (proc_close($trying) !== 0) {
            throw new RuntimeException("{$file} failed the webhook tests. Output:\n" . file_get_contents($log));
        }
        return 1;
    } finally {
        proc_terminate($process);
        proc_close($process);
    }
}

/** The buyer pays. */
function approve(string $paymentId): void
{
    global $gateway;
    $header = "Authorization: Bearer {$gateway->controlSecret}";
    $context = stream_context_create(['http' => ['method' => 'POST', 'header' => $header]]);
    file_get_contents("{$gateway->walletUrl}/control/payments/{$paymentId}/approve", false, $context);
}

/** The code that a buyer's wallet shows at a point of sale. */
function paymentCode(): string
{
    global $gateway;
    $header = "Authorization: Bearer {$gateway->controlSecret}\r\nContent-Type: application/json";
    $context = stream_context_create(['http' => ['method' => 'POST', 'header' => $header, 'content' => '{}']]);
    return json_decode(file_get_contents("{$gateway->walletUrl}/control/payment-codes", false, $context))->paymentCode;
}

function expect(string $text, string $words): void
{
    str_contains($text, $words) || throw new RuntimeException("The output does not contain {$words}: {$text}");
}

function isThere(?string $needed, string $example): bool
{
    $isThere = $needed === null || stream_resolve_include_path($needed) !== false;
    if (!$isThere) {
        echo basename($example), " was skipped: its framework is not installed\n";
    }
    return $isThere;
}

function freePort(): int
{
    $free = stream_socket_server('tcp://127.0.0.1:0');
    return (int) substr(strrchr(stream_socket_get_name($free, false), ':'), 1);
}

function shell(string $command): void
{
    passthru($command, $status);
    $status === 0 || throw new RuntimeException("This failed: {$command}");
}
