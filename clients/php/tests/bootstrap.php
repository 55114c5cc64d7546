<?php

declare(strict_types=1);

require __DIR__ . '/../autoload.php';

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/' . str_replace(['Tollgate\\Tests\\', '\\'], ['', '/'], $class) . '.php';
    if (str_starts_with($class, 'Tollgate\\Tests\\') && is_file($file)) {
        require $file;
    }
});

// PSR interfaces and clients are not dependencies. They are loaded from Composer if it has installed them, or
// else from the system.
if (is_file(__DIR__ . '/../vendor/autoload.php')) {
    require __DIR__ . '/../vendor/autoload.php';
} else {
    foreach (['GuzzleHttp/autoload.php', 'Psr/Log/autoload.php'] as $installed) {
        if (stream_resolve_include_path($installed) !== false) {
            require_once $installed;
        }
    }
}
