<?php

declare(strict_types=1);

namespace Tollgate\Tests;

/** A program that listens on a local port during a test. */
final class Server
{
    /** @param resource $process */
    private function __construct(private readonly mixed $process, public readonly int $port)
    {
    }

    /**
     * @param list<string> $command `{port}` is replaced by the port
     * @param array<string, string> $environment
     */
    public static function start(array $command, array $environment = []): self
    {
        $free = stream_socket_server('tcp://127.0.0.1:0');
        $port = (int) substr(strrchr(stream_socket_get_name($free, false), ':'), 1);
        fclose($free);
        $words = str_replace('{port}', (string) $port, [PHP_BINARY, ...$command]);
        $process = proc_open($words, [1 => ['file', '/dev/null', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes, null, $environment + getenv());
        $server = new self($process, $port);
        $server->awaitListening();
        return $server;
    }

    public function stop(): void
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }

    private function awaitListening(): void
    {
        for ($tries = 0; $tries < 200; $tries += 1) {
            $connection = @stream_socket_client("tcp://127.0.0.1:{$this->port}", $number, $error, 1);
            if ($connection !== false) {
                fclose($connection);
                return;
            }
            usleep(20_000);
        }
        throw new \RuntimeException('The server does not listen.');
    }
}
