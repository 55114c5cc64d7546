/**
 * The folders of the repository, its test tiers and the scripts of package.json. Documents print them and `tidy/`
 * checks them.
 */

/** The parts of the repository: top folders, and subfolders that a new contributor looks for. */
export const repositoryParts = {
  server: "the gateway: one executable with all of its [commands](docs/operating/commands.md)",
  "server/migrations": "database migrations; [schema.sql](server/schema.sql) is the resulting schema",
  "server/native": "optional [PKCS#11 binding](server/native/README.md): signatures by an HSM",
  "server/test":
    "test set-up for gateway, provider and database; tests of the interface, results, model and crashes",
  sandbox: "a payment provider that moves no money and injects faults on request",
  connectors:
    "connectors to payment providers: [Stripe](connectors/stripe/README.md), and [the kit](connectors/kit/README.md), with which an author writes only the mapping to one provider",
  accounts: "people, organisations, roles and sessions: a process and a database of its own",
  portal: "web pages of the merchant portal and the operator console; accounts serves the built files",
  cli: "the package `tollgate`: a complete gateway on a developer's machine",
  clients:
    "client libraries in five languages, [their design](clients/DESIGN.md), conformance cases, and tests with other SDKs",
  examples: "signed requests with only openssl and curl; a point of sale with web pages",
  proof:
    "fault storms, crashes, failovers and floods against real processes, and seeded bugs that must be detected",
  benchmarks: "CPU cost per request, compared with a fixed limit",
  tidy: "rules for the whole repository, each tested to fail: imports, sizes, names, words, links, packages",
  scripts: "`npm run dev`, releases, tests of the client libraries, compatibility checks",
  deploy:
    "image, compose, Kubernetes manifests, chart, systemd units, Debian package, HAProxy, alerts and a dashboard",
  docs: "documentation",
} as const satisfies Readonly<Record<string, string>>;

/** Tiers of tests, each a script of package.json. The first runs after every change, the last before a release. */
export const testTiers = {
  test: {
    runs: "every `*.test.ts`",
    finds:
      "wrong rules, responses and SQL; with a real PostgreSQL, real processes and a provider where needed",
    takes: "seconds per file, minutes in all",
  },
  "test:slow": {
    runs: "every `*.slow.ts`",
    finds:
      "races and crashes: processes killed at crash points, browsers, silent providers, random sequences compared with a model, a merchant's year",
    takes: "minutes",
  },
  "test:load": {
    runs: "every `*.load.ts`, one at a time, because they measure",
    finds: "contention under load: slow sockets, floods, overload, many refunds, jobs of one provider",
    takes: "minutes, on an idle machine",
  },
  "test:chaos": {
    runs: "fault storm, failovers and seeded bugs; by name, or `-- --report` for all in full size",
    finds:
      "money that is lost, doubled or stuck after random faults; and, by seeded bugs, tests that detect nothing",
    takes: "minutes; in full size over an hour",
  },
  "test:clients": {
    runs: "`examples`, `guides`, `conformance`, `life`, `init`, `packages`, `interoperability`, or the named ones",
    finds: "errors that users of a client library would see: five languages, as published, and other SDKs",
    takes: "minutes",
  },
  bench: {
    runs: "`benchmarks/bench.ts`",
    finds: "CPU cost per request, compared with a fixed limit and with another revision",
    takes: "minutes, on an idle machine",
  },
} as const satisfies Readonly<Record<string, Tier>>;

interface Tier {
  readonly runs: string;
  readonly finds: string;
  readonly takes: string;
}

/** Descriptions of the scripts of package.json, which cannot contain comments. */
export const packageScripts = {
  check: "everything that a change must pass: format, lint, types, tests, generated files",
  format: "format all files",
  "format:check": "list files that are not formatted",
  lint: "oxlint for code, squawk for migrations, redocly for OpenAPI, `lint:prose` for words",
  "lint:prose": "check the words of documents, comments and messages; with paths, print the findings there",
  types: "type check",
  test: `${testTiers.test.runs}: ${testTiers.test.takes}`,
  "test:slow": `${testTiers["test:slow"].runs}: crash points, browsers, the model; ${testTiers["test:slow"].takes}`,
  "test:load": testTiers["test:load"].runs,
  "test:chaos": testTiers["test:chaos"].runs,
  "test:clients": testTiers["test:clients"].runs,
  bench: testTiers.bench.finds,
  generate: "write generated files",
  "generate:check": "list generated files that are outdated, without a database",
  dev: "start a complete gateway on this machine",
  "build:pkcs11":
    "build the optional [PKCS#11 binding](server/native/README.md): `tollgate signer` signs by an HSM",
  "pack:cli": "build the package `tollgate`; the last line is the path of the archive",
  image: "build the container image with buildah; the last line is its id",
  deb: "build the Debian package with its units and SHA256SUMS; the last line is its path",
  "release:server":
    "build image, Debian package, chart, SBOM and signed checksums; the last line is their folder",
  screenshots: "take screenshots of every page; `-- --compare` compares with those of an earlier run",
  layout: "print folders, files, lines and import circles of the repository",
  "version:write": "write the version of `package.json` to all files that contain it",
  rename: "rename a client library in all files: `-- npm @shop/gateway`",
  "api:report": "write the public API of each client library to a file for review; `-- --check` compares",
  release: "release a new version; `-- --dry-run` rehearses it with all libraries; see RELEASING.md",
  prove: "the storm of `test:chaos` with all of its options: `-- --seed 7`",
  month:
    "simulate a month of payments, settlement files, bank statements and payouts; compare the ledger with an independent model; `-- --smoke` is the size of CI",
  cells:
    "three cells behind one HAProxy, with moves of merchants under traffic; `-- --smoke` is the size of CI",
  evidence: "`test:chaos` in full size with reports, or only the named parts",
  conformance: "`test:clients -- conformance`: the cases that all five client libraries pass",
} as const satisfies Readonly<Record<string, string>>;
