<?php

declare(strict_types=1);

namespace Tollgate\Testing;

use Tollgate\Tollgate;

/** A gateway for tests, with its own merchant and a simulated buyer. */
final class StartedTollgate
{
    private const START_TIMEOUT_SECONDS = 60;
    /**
     * The variable that passes a running gateway to child processes, such as the workers of a test runner.
     */
    private const HANDED_DOWN = 'TOLLGATE_DEV';

    /**
     * @param array<string, string> $variables environment variables for a program under test, as every
     *     library reads them
     * @param array<string, mixed> $running
     * @param (\Closure(): void)|null $end
     */
    private function __construct(
        public readonly string $baseUrl,
        public readonly string $clientId,
        public readonly Tollgate $client,
        public readonly array $variables,
        private readonly array $running,
        private ?\Closure $end,
    ) {
    }

    /**
     * Starts a complete gateway for tests. If one is running already (TOLLGATE_DEV; or TOLLGATE_BASE_URL and
     * TOLLGATE_CONTROL_SECRET, as in the .env of `tollgate dev`), it creates an isolated test merchant there
     * instead. A gateway that a parent process of the same run started is shared.
     *
     * @param string|null $command runs `tollgate` (default TOLLGATE_COMMAND, or the command that is installed
     *     in the project)
     */
    public static function start(?string $command = null): self
    {
        $before = getenv(self::HANDED_DOWN);
        $handed = $before ? json_decode($before, true, 512, JSON_THROW_ON_ERROR) : null;
        if ($handed['isOfThisRun'] ?? false) {
            return self::of($handed, null);
        }
        $called = $command ?? (getenv('TOLLGATE_COMMAND') ?: 'npx --no tollgate');
        [$running, $end] = self::join($handed) ?? self::startDev($called);
        putenv(self::HANDED_DOWN . '=' . json_encode(['isOfThisRun' => true] + $running, JSON_UNESCAPED_SLASHES));
        $started = self::of($running, static function () use ($before, $end): void {
            putenv($before === false ? self::HANDED_DOWN : self::HANDED_DOWN . "={$before}");
            $end();
        });
        register_shutdown_function($started->stop(...));
        return $started;
    }

    /** The buyer pays. */
    public function approve(string $paymentId): void
    {
        $this->decide($paymentId, 'approve');
    }

    /** The buyer declines to pay. */
    public function decline(string $paymentId): void
    {
        $this->decide($paymentId, 'decline');
    }

    /**
     * Stops the gateway that was started here, or deletes this run's isolated test merchant on a shared
     * gateway.
     */
    public function stop(): void
    {
        $end = $this->end;
        $this->end = null;
        if ($end !== null) {
            $end();
        }
    }

    /**
     * Creates an isolated test merchant on the configured gateway. Returns null if no gateway is configured
     * or none listens at its address.
     *
     * @param array<string, mixed>|null $handed
     * @return array{array<string, mixed>, \Closure(): void}|null
     */
    private static function join(?array $handed): ?array
    {
        $shared = $handed ?? self::namedByEnvironment();
        $universe = $shared === null ? null : TestUniverse::open($shared);
        if ($handed !== null && $universe === null) {
            throw new \RuntimeException(self::HANDED_DOWN . " names {$handed['baseUrl']}, but no gateway listens there.");
        }
        // The settings in .env do not count as a running gateway: they remain after their `tollgate dev` has
        // stopped.
        return $universe === null ? null : [$universe->running, $universe->close(...)];
    }

    /**
     * The sandbox in the settings that `tollgate dev` writes to .env.
     *
     * @return array<string, mixed>|null
     */
    private static function namedByEnvironment(): ?array
    {
        [$baseUrl, $secret] = [getenv('TOLLGATE_BASE_URL'), getenv('TOLLGATE_CONTROL_SECRET')];
        if (!$baseUrl || !$secret) {
            return null;
        }
        return ['baseUrl' => $baseUrl, 'controlSecret' => $secret, 'walletUrl' => getenv('TOLLGATE_WALLET_URL') ?: null];
    }

    /** @return array{array<string, mixed>, \Closure(): void} */
    private static function startDev(string $called): array
    {
        $errors = (string) tempnam(sys_get_temp_dir(), 'tollgate-');
        // The gateway exits when the pipe to its standard input closes, so it is not left running, however
        // this process ends.
        $process = proc_open(
            "{$called} dev --json --ephemeral --until-stdin-closes",
            [['pipe', 'r'], ['pipe', 'w'], ['file', $errors, 'w']],
            $pipes,
        );
        $line = self::firstLine($pipes[1]);
        $said = trim((string) file_get_contents($errors));
        unlink($errors);
        if ($line === '') {
            fclose($pipes[0]);
            $code = proc_close($process);
            throw new \RuntimeException(
                "Tollgate ended with {$code} before it was ready. The command was `{$called}`; "
                . 'is it installed? TOLLGATE_COMMAND can set another command.' . "\n"
                . $said,
            );
        }
        return [json_decode($line, true, 512, JSON_THROW_ON_ERROR), static function () use ($process, $pipes): void {
            fclose($pipes[0]);
            proc_close($process);
        }];
    }

    /**
     * @param array<string, mixed> $running
     * @param (\Closure(): void)|null $end
     */
    private static function of(array $running, ?\Closure $end): self
    {
        return new self(
            baseUrl: $running['baseUrl'],
            clientId: $running['clientId'],
            client: new Tollgate(...self::merchantOf($running), baseUrl: $running['baseUrl']),
            variables: [
                'TOLLGATE_BASE_URL' => $running['baseUrl'],
                'TOLLGATE_CLIENT_ID' => $running['clientId'],
                'TOLLGATE_KEY_VERSION' => (string) $running['keyVersion'],
                'TOLLGATE_PRIVATE_KEY_FILE' => $running['merchantPrivateKeyFile'],
                'TOLLGATE_GATEWAY_PUBLIC_KEY_FILE' => $running['gatewayPublicKeyFile'],
            ],
            running: $running,
            end: $end,
        );
    }

    /**
     * @param array<string, mixed> $running
     * @return array<string, mixed>
     */
    private static function merchantOf(array $running): array
    {
        return [
            'clientId' => $running['clientId'],
            'keyVersion' => $running['keyVersion'],
            'privateKey' => file_get_contents($running['merchantPrivateKeyFile']),
            'gatewayPublicKeys' => file_get_contents($running['gatewayPublicKeyFile']),
        ];
    }

    /**
     * Reads the first line that the process prints. Returns an empty text if the process ends before, or
     * takes too long.
     *
     * @param resource $pipe
     */
    private static function firstLine($pipe): string
    {
        $giveUpAt = time() + self::START_TIMEOUT_SECONDS;
        $text = '';
        stream_set_blocking($pipe, false);
        while (!str_contains($text, "\n") && !feof($pipe) && time() < $giveUpAt) {
            [$read, $write, $except] = [[$pipe], null, null];
            stream_select($read, $write, $except, 1);
            $text .= (string) fread($pipe, 8_192);
        }
        return str_contains($text, "\n") ? strstr($text, "\n", true) : '';
    }

    /** Acts as the buyer, through the sandbox provider's API for tests. */
    private function decide(string $paymentId, string $word): void
    {
        $url = "{$this->running['walletUrl']}/control/payments/" . rawurlencode($paymentId) . "/{$word}";
        $context = stream_context_create(['http' => [
            'method' => 'POST',
            'header' => "Authorization: Bearer {$this->running['controlSecret']}",
            'ignore_errors' => true,
        ]]);
        $said = file_get_contents($url, false, $context);
        if (!str_contains($http_response_header[0] ?? '', ' 200 ')) {
            throw new \RuntimeException("The sandbox provider could not {$word} payment {$paymentId}: {$said}");
        }
    }
}
