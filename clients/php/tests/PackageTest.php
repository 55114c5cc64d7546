<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\Tollgate;

final class PackageTest extends TestCase
{
    public function testTheVersionIsTheSameEverywhere(): void
    {
        $package = json_decode((string) file_get_contents(__DIR__ . '/../composer.json'));
        self::assertSame($package->version, Tollgate::VERSION);
    }

    public function testEveryFileHasOneStrictClassWithItsName(): void
    {
        $source = realpath(__DIR__ . '/../src');
        $files = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator($source, \FilesystemIterator::SKIP_DOTS));
        $count = 0;
        foreach ($files as $file) {
            $class = 'Tollgate' . str_replace('/', '\\', substr($file->getPathname(), strlen($source), -strlen('.php')));
            $isThere = class_exists($class) || interface_exists($class) || trait_exists($class);
            self::assertTrue($isThere, "There is no {$class}.");
            $text = (string) file_get_contents($file->getPathname());
            self::assertStringContainsString("\ndeclare(strict_types=1);\n", $text, $class);
            // PHP 8.1 has readonly properties, but no readonly classes.
            self::assertDoesNotMatchRegularExpression('/^\s*(?:final |abstract )*readonly (?:final |abstract )*class/m', $text);
            $count += 1;
        }
        self::assertGreaterThan(100, $count);
    }
}
