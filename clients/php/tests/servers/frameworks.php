<?php

declare(strict_types=1);

// Put in front of an example by `run-examples.php`: the frameworks that it needs, from where the system has them. The
// Slim that distributions carry is version 3, which is started in another way than version 4 and works the same.
namespace Slim\Factory {
    final class AppFactory
    {
        public static function create(): \Slim\App
        {
            // Version 3 takes the path of the request for the folder of the script under `php -S`.
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
