<?php

declare(strict_types=1);

/**
 * Prints the exported API of the library in a folder: `php php-api.php FOLDER`, one line of JSON for each
 * item. Parameters of constructors have their own lines, because models are constructed with named arguments.
 */
$folder = $argv[1];
require $folder . '/autoload.php';

foreach (sources($folder . '/src') as $path) {
    $class = 'Tollgate\\' . strtr(substr($path, strlen($folder . '/src/'), -4), '/', '\\');
    if (!class_exists($class) && !interface_exists($class) && !trait_exists($class)) {
        continue;
    }
    $about = new ReflectionClass($class);
    if (!isInternal($about)) {
        describe($about);
    }
}

/** @return list<string> */
function sources(string $folder): array
{
    $files = [];
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder)) as $file) {
        if ($file->getExtension() === 'php') {
            $files[] = $file->getPathname();
        }
    }
    sort($files);
    return $files;
}

function isInternal(ReflectionClass|ReflectionMethod|ReflectionProperty|ReflectionClassConstant $thing): bool
{
    return str_contains((string) $thing->getDocComment(), '@internal');
}

function describe(ReflectionClass $class): void
{
    $owner = $class->getName();
    if (str_starts_with($owner, 'Tollgate\\Generated\\')) {
        return;
    }
    $kind = $class->isInterface() ? 'interface' : ($class->isTrait() ? 'trait' : ($class->isEnum() ? 'enum' : 'class'));
    $words = [$class->isFinal() ? 'final' : '', $class->isAbstract() && $kind === 'class' ? 'abstract' : '', $kind];
    $parent = $class->getParentClass();
    say($owner, trim(implode(' ', array_filter($words))) . ($parent ? " extends {$parent->getName()}" : ''));
    foreach ($class->getInterfaceNames() as $interface) {
        if (str_starts_with($interface, 'Tollgate\\')) {
            say($owner, "is {$interface}");
        }
    }
    foreach ($class->getReflectionConstants(ReflectionClassConstant::IS_PUBLIC) as $constant) {
        if ($constant->getDeclaringClass()->getName() === $owner && !isInternal($constant)) {
            say($owner, "const {$constant->getName()}");
        }
    }
    foreach ($class->getProperties(ReflectionProperty::IS_PUBLIC) as $property) {
        if ($property->getDeclaringClass()->getName() === $owner && !isInternal($property)) {
            say($owner, trim("{$property->getType()} \${$property->getName()}"));
        }
    }
    foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        if ($method->getDeclaringClass()->getName() === $owner && !isInternal($method)) {
            describeMethod($owner, $method, isImplementedByMany($class));
        }
    }
}

/**
 * A new method breaks implementations of an interface, except for interfaces that only test doubles may
 * implement: their doc comments say that a minor version may add methods.
 */
function isImplementedByMany(ReflectionClass $class): bool
{
    $comment = preg_replace('/[\s*]+/', ' ', (string) $class->getDocComment());
    return $class->isInterface() && !str_contains($comment, 'a minor version may add methods');
}

function describeMethod(string $owner, ReflectionMethod $method, bool $isRequired): void
{
    if ($method->isConstructor()) {
        foreach ($method->getParameters() as $parameter) {
            say($owner, 'new ' . parameter($parameter), !$parameter->isOptional());
        }
        return;
    }
    $parameters = implode(', ', array_map('parameter', $method->getParameters()));
    $static = $method->isStatic() ? 'static ' : '';
    say($owner, "{$static}{$method->getName()}({$parameters}): {$method->getReturnType()}", $isRequired);
}

function parameter(ReflectionParameter $parameter): string
{
    $rest = $parameter->isVariadic() ? '...' : '';
    return trim("{$parameter->getType()} {$rest}\${$parameter->getName()}") . ($parameter->isOptional() ? ' = …' : '');
}

function say(string $owner, string $signature, bool $isRequired = false): void
{
    echo json_encode(['owner' => $owner, 'signature' => $signature, 'isRequired' => $isRequired], JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), "\n";
}
