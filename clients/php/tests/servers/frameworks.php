<?php

declare(strict_types=1);

// `run-examples.php` loads this file before an example: the frameworks that the example needs, from the
// system. Linux distributions package Slim 3, whose application is created in another way than that of Slim
// 4, and then works the same.
namespace Slim\Factory {
    final class AppFactory
    {
        public static function create(): \Slim\App
        {
            // Sets SCRIPT_NAME, because under `php -S` Slim 3 mistakes the path of the request for the folder
            // of the script.
            $_SERVER['SCRIPT_NAME'] = '/index.php';
            return new \Slim\App();
        }
    }
}

namespace {
    error_reporting(E_ALL & ~E_DEPRECATED);
    foreach (['GuzzleHttp/autoload.php', 'Slim/autoload.php', 'Illuminate/autoload.php'] as $installed) {
        if (stream_resolve_include_path($installed) !== false) {
            require_once $installed;
        }
    }
}
