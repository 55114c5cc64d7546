import { file, testRule, type Rule } from "./rule.ts";
import { clientDependencies, lockedPackages, runTimeClosure } from "./dependency-rules.ts";
import type { SourceFile } from "./tidy.ts";

const isLock = (path: string): boolean => path === "package-lock.json";
const lock = (packages: object): SourceFile => file("package-lock.json", JSON.stringify({ packages }));
/** Maximum number of packages that a program needs at run time, with transitive dependencies. */
const packagesMax = { server: 90, accounts: 100 } as const;

/** One package that alone brings as many transitive dependencies as are allowed in total. */
function tooManyFor(program: string, most: number): SourceFile {
  const names = Array.from({ length: most }, (_, index) => `package-${index}`);
  return lock({
    [program]: { dependencies: { first: "1" } },
    "node_modules/first": { dependencies: Object.fromEntries(names.map((name) => [name, "1"])) },
    ...Object.fromEntries(names.map((name) => [`node_modules/first/node_modules/${name}`, {}])),
  });
}

const supplyChainRules: readonly Rule[] = [
  {
    name: "the lock file contains no registry addresses",
    appliesTo: isLock,
    fileCountMin: 1,
    check: (files) =>
      files
        .flatMap(lockedPackages)
        .flatMap(([at, { resolved }]) => (resolved?.includes(":") ? [`package-lock.json: ${at}`] : [])),
    breaks: [lock({ "node_modules/pg": { resolved: "https://example.com/pg.tgz" } })],
  },
  {
    name: "no package runs a script when it is installed",
    appliesTo: isLock,
    fileCountMin: 1,
    check: (files) =>
      files
        .flatMap(lockedPackages)
        .flatMap(([at, { hasInstallScript }]) => (hasInstallScript ? [`package-lock.json: ${at}`] : [])),
    breaks: [lock({ "node_modules/pg-native": { hasInstallScript: true } })],
  },
  ...Object.entries(packagesMax).map(([program, most]): Rule => ({
    name: `${program}: at most ${most} packages at run time`,
    appliesTo: isLock,
    fileCountMin: 1,
    check: (files) => {
      const { size } = runTimeClosure(files.flatMap(lockedPackages), program);
      return size > 0 && size <= most ? [] : [`package-lock.json: ${size} packages`];
    },
    breaks: [tooManyFor(program, most)],
  })),
  {
    name: "a client library has no run-time dependencies",
    appliesTo: (path) =>
      /^clients\/[^/]+\/(?:package\.json|composer\.json|pyproject\.toml|pom\.xml|go\.mod)$/.test(path),
    fileCountMin: 0,
    check: (files) =>
      files.flatMap((each) => clientDependencies(each).map((name) => `${each.path}: ${name}`)),
    allowed: [
      file("clients/typescript/package.json", '{ "devDependencies": { "typescript": "7" } }'),
      file("clients/php/composer.json", '{ "require": { "php": ">=8.2", "ext-openssl": "*" } }'),
      file("clients/python/pyproject.toml", 'dependencies = ["cryptography>=42"]'),
      file("clients/java/pom.xml", "<dependency>junit <scope>test</scope></dependency>"),
      file("clients/go/go.mod", "module tollgate.example/tollgate\n\ngo 1.24\n"),
    ],
    breaks: [
      file("clients/a/package.json", '{ "dependencies": { "axios": "1" } }'),
      file("clients/b/composer.json", '{ "require": { "guzzlehttp/guzzle": "7" } }'),
      file("clients/c/pyproject.toml", 'dependencies = [\n  "cryptography>=42",\n  "httpx",\n]'),
      file("clients/d/pom.xml", "<dependency>gson</dependency>"),
      file("clients/e/go.mod", "module e.example/e\n\nrequire github.com/pkg/errors v0.9.1\n"),
    ],
  },
];

for (const rule of supplyChainRules) testRule(rule);
