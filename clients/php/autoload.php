<?php

declare(strict_types=1);

// Loads the library's classes for projects without Composer, and for the library's own tests.
spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Tollgate\\')) {
        return;
    }
    $file = __DIR__ . '/src/' . str_replace('\\', '/', substr($class, strlen('Tollgate\\'))) . '.php';
    if (is_file($file)) {
        require $file;
    }
});
