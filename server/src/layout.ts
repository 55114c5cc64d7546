/**
 * The layout of the repository and of server/src: folders, kinds of file, and who may import whom. `tidy/` enforces it,
 * and `npm run generate` prints it into documents, so there is no other copy of it. It stands in server/src because
 * `generate` is a command of the executable, which imports nothing from outside.
 */

/** The parts of the repository: every folder at the top, and subfolders that a newcomer looks for. */
export const parts = {
  server: "the gateway: one executable, with all of its [commands](ARCHITECTURE.md#commands)",
  "server/migrations":
    "the database, in numbered SQL files; [schema.sql](server/schema.sql) is what they come to",
  "server/native": "optional native code, which nobody needs: RSA, four signatures at a time",
  "server/test":
    "what tests share: starting a gateway, a wallet and a database; and tests of the whole: the interface, results, the model, crashes",
  sandbox: "a wallet that moves no money, and breaks when it is told to",
  accounts:
    "people, organisations, roles and sessions: a process and a database of its own, apart from money",
  portal:
    "the pages on which merchants register, and see and run what they have; built into files that accounts serves",
  cli: "`tollgate`, the command line: a whole gateway on a developer's machine, as one package",
  clients:
    "client libraries in five languages, [how they are made](clients/DESIGN.md), the cases that they all pass, and other people's libraries against a running gateway",
  examples: "signed calls with nothing but openssl and curl; a till with its pages",
  proof:
    "storms, crashes, failovers and floods against real processes, and planted bugs that have to be caught",
  benchmarks: "what a call costs, beside a fixed limit",
  tidy: "rules that the whole repository keeps, each proved able to fail: imports, sizes, names, links, packages",
  scripts: "`npm run dev`, releases, checks of clients and of what a change breaks",
  deploy:
    "what an operator installs and runs it with: image, compose, units of systemd, Debian package, HAProxy, alerts and a dashboard",
  docs: "everything else there is to read",
} as const satisfies Readonly<Record<string, string>>;

/** Tiers of checks, each a script of package.json: the first after every change, the last before a release. */
export const tiers = {
  test: {
    runs: "every `*.test.ts`",
    finds:
      "wrong rules, wrong answers, SQL that does not do what it says; with a real PostgreSQL, and where needed with real processes and a wallet",
    takes: "seconds a file, three minutes in all",
  },
  "test:slow": {
    runs: "every `*.slow.ts`",
    finds:
      "what needs time or a whole world: processes killed at crash points, browsers, wallets that stay silent, random sequences held against a model, a merchant's year",
    takes: "minutes",
  },
  "test:load": {
    runs: "every `*.load.ts`, one at a time, because they measure",
    finds:
      "what holds up others when there is much of it: slow sockets, floods, overload, a rush of refunds, jobs of one wallet",
    takes: "minutes, on a machine that does nothing else",
  },
  "test:chaos": {
    runs: "a storm of faults, failovers and planted bugs; by name, or `-- --report` for all in full size",
    finds:
      "money that is lost, doubled or stuck when anything breaks at any moment; and, by planted bugs, checks that find nothing",
    takes: "minutes; in full size over an hour",
  },
  "test:clients": {
    runs: "`examples`, `guides`, `conformance`, `life`, `init`, `packages`, `interoperability`, or those that are named",
    finds:
      "what users of a client library would meet: five languages, as published, and other people's libraries",
    takes: "minutes",
  },
  bench: {
    runs: "`benchmarks/bench.ts`",
    finds: "what a call costs, beside a fixed limit, and beside another revision",
    takes: "minutes, on a machine that does nothing else",
  },
} as const satisfies Readonly<Record<string, Tier>>;

interface Tier {
  readonly runs: string;
  readonly finds: string;
  readonly takes: string;
}

/** The scripts of package.json, which cannot hold comments. */
export const scripts = {
  check: "all that a change has to pass: format, lint, types, tests, generated files",
  format: "write all files as they are to be laid out",
  "format:check": "tell which are not",
  lint: "oxlint for the code, squawk for migrations, redocly for OpenAPI",
  types: "the compiler, which writes nothing",
  test: `${tiers.test.runs}: ${tiers.test.takes}`,
  "test:slow": `${tiers["test:slow"].runs}: crash points, browsers, the model; ${tiers["test:slow"].takes}`,
  "test:load": tiers["test:load"].runs,
  "test:chaos": tiers["test:chaos"].runs,
  "test:clients": tiers["test:clients"].runs,
  bench: tiers.bench.finds,
  generate: "write what is derived from the code",
  "generate:check": "tell what would change, without a database",
  dev: "a whole gateway on your machine, to try it out",
  "build:lanes": "native code that makes four RSA signatures at a time, for an operator who wants it",
  "build:pkcs11": "native code by which `tollgate signer` asks an HSM, for an operator who has one",
  "pack:cli": "the package `tollgate`, bundled; the last line is the path of its archive",
  image: "the image of the gateway, with buildah; the last line is its id",
  deb: "the Debian package with its units; the last line is its path, and SHA256SUMS is beside it",
  "release:server": "image, Debian package, chart, SBOM and checksums, signed; the last line is their folder",
  terms: "how often comments use the words that one searches for",
  "version:write": "writes the version of `package.json` wherever it stands",
  rename: "another name for a client library, wherever it stands: `-- npm @shop/gateway`",
  "api:report": "what programs can use of each client library, as a file to review; `-- --check` compares",
  release:
    "a new version: changelogs dated, documents frozen; `-- --dry-run` rehearses it with all libraries; see RELEASING.md",
  points: "another name of `test:slow`",
  loads: "another name of `test:load`",
  prove: "the storm of `test:chaos`, with all of its options: `-- --seed 7`",
  month:
    "a month of payments, wallets' files, bank statements and payouts, beside books that somebody else keeps: `-- --smoke` is CI's",
  cells: "three cells behind one HAProxy, merchants moved while they sell: `-- --smoke` is CI's",
  evidence: "another name of `test:chaos -- --report`",
  conformance: "of `test:clients`: the cases that all four client libraries pass",
  life: "of `test:clients`: a merchant's life with each client library",
  init: "of `test:clients`: `tollgate init` in each language, run as it says",
  packages: "of `test:clients`: the client libraries as they would be published",
  interoperability: "of `test:clients`: other people's client libraries against a gateway",
  examples: "of `test:clients`: the examples, run",
  guides:
    "of `test:clients`: the code of the guides, run, and its output compared; or of those that are named",
} as const satisfies Readonly<Record<string, string>>;

/** A domain is a folder about one thing, named after it. */
export const domains = {
  payments: "what a buyer pays: online, in a store or with a token; cancels and reversals",
  sessions: "payments whose buyer chooses on our page how to pay",
  captures: "taking what is held of a payment, in parts, or letting it go",
  refunds: "giving back what was paid, in parts",
  registrations: "telling wallets about a merchant's stores before they may sell there",
  authorizations: "a buyer's consent to be charged again, and the tokens that stand for it",
  disputes: "a buyer who contests a payment: freeze, evidence, and how the wallet ends it",
  merchants: "merchants' systems, their addresses and their keys",
  keys: "the gateway's own keys, the installation's secret, and which key signed how much",
  ledger: "double entry: transfers, balances, and what is reserved for refunds",
  notifications: "telling merchants: the outbox, delivery and its attempts, and the feed",
  wallets: "the wallet protocol: calls and reports, connectors, breakers",
  "open-records": "records that are not final: whose move it is, and which are stuck",
  reports:
    "what merchants are given as files: transactions, batches and their sums, with the columns of this family of interfaces",
  reconciliation: "our records, the ledger and the wallets' settlement files compared",
  bank: "what banks tell by ISO 20022, and what of it was expected",
  settlement: "what merchants are owed, in batches, and paid out to their bank accounts",
  "test-clocks": "the sandbox's test clocks, which merchants turn ahead",
  universes: "isolated merchants of the sandbox, each for one test run: opened, closed and swept",
  search: "what people list, search and chart: tables that are filled after the commit",
  archive: "payments that are long over: what only tells how they came to their end, moved into files",
  cells: "one of many: where a merchant lives, how it moves, the directory by which others find it",
  audit: "who did what to the installation, and why: a hash chain that shows tampering",
} as const satisfies Readonly<Record<string, string>>;

/** A folder around the domains is a kind of file by itself. */
export const folders = {
  core: "words that all domains share: money, ids, result codes, lifecycles, strict JSON, rate limits, breakers; pure",
  signing:
    "the signed text, the header, keys, secrets, the port behind which the gateway's keys sign, and `signing/doctor.ts` for signatures that do not hold",
  postgres:
    "connections, transactions, batched writes, the standby, the `sql` tag, the migrator, the preflight, wake-ups",
  api: "what an operation and a view is, shared schemas, OpenAPI, and `api/operations.ts`: **the table of contents**, with `api/views.ts` and `api/acts.ts` for people",
  people:
    "roles and their rights, `people/role.ts`, and the tokens by which `accounts` vouches for a person; pure",
  jobs: "what a job is, `jobs/run-job.ts` that runs one, and `jobs/jobs.ts`: the list of all",
  checkout: "the page on which a buyer pays",
  "api-docs": "the pages at `/docs`, their search and their twins in Markdown",
  home: "the page at `/`, and the one for addresses that are nobody's",
  http: "the edge in: `http/server.ts`, `http/admit.ts`, `http/answer-arrival.ts`, `http/run-operation.ts`; for people `http/identify-person.ts`, `http/admit-person.ts`, `http/run-for-person.ts`; for staff `http/staff-door.ts`",
  egress:
    "the edge out: to merchants the courier that signs, and an HTTP client guarded against SSRF, `egress/egress.ts`; to wallets `egress/http-wallet.ts`",
  worker: "the loops that take due jobs, deliver notifications, number the feed and fill the search",
  commands:
    "operators' commands: `commands/operator-commands.ts` lists them, for `main.ts` and for `tollgate`; `commands/command.ts` says what a command is",
} as const satisfies Readonly<Record<string, string>>;

interface Kind {
  /** How its name ends. Kinds without an ending: a verb is listed, and the rest are nouns. */
  readonly endings?: readonly string[];
  readonly example: string;
  readonly is: string;
}

/** Inside a domain the name of a file tells its kind; what it imports has to fit, and never decides. */
export const kinds = {
  noun: {
    example: "payments/payment.ts",
    is: "types, states and rules; `decide-<noun>.ts` says what follows from a wallet's report. Pure: no clock, no randomness, no environment, no SQL. *Nouns decide.*",
  },
  sql: {
    endings: [".sql.ts"],
    example: "payments/payment.sql.ts",
    is: "the statements of one table, as tagged templates. *SQL remembers.*",
  },
  tx: {
    endings: [".tx.ts"],
    example: "payments/record-report.tx.ts",
    is: "what several verbs write, or lock, in several tables: in the caller's transaction, without a statement of its own. *Records write together.*",
  },
  verb: {
    example: "payments/pay.ts",
    is: "one operation of the API, one view of the console, or one job, named after what it exports. *Verbs act.*",
  },
  schema: {
    endings: [".schema.ts"],
    example: "payments/pay-request.schema.ts",
    is: "part of a request or an answer that is too long to stand in its verb",
  },
  memory: {
    endings: ["-directory.ts", "-book.ts"],
    example: "merchants/client-directory.ts",
    is: "what a process remembers between calls: a cache, or counts to be written",
  },
  test: {
    endings: [".test.ts", ".slow.ts", ".load.ts"],
    example: "payments/pay.test.ts",
    is: "stands beside what it tests; `*.slow.ts` takes longer, `*.load.ts` measures: see [testing](docs/internals/testing.md)",
  },
} as const satisfies Readonly<Record<string, Kind>>;

/**
 * The lists of all verbs: operations, views, acts and jobs. English has no sign for a verb (a `refund`, to `refund`), so a file
 * is one when such a list imports from it what its name says: `releaseHold` from `release-hold.ts`.
 */
export const listsOfVerbs = ["api/operations.ts", "api/views.ts", "api/acts.ts", "jobs/jobs.ts"] as const;

const all =
  "core signing postgres people api jobs checkout api-docs home http egress worker noun sql tx verb schema memory main node:*";

/** Import rules, by kind of file. Anything that is not listed is refused; every file may import node:assert. */
export const mayImport: Readonly<Record<string, string>> = {
  core: "core node:crypto",
  people: "core people node:crypto",
  noun: "core noun",
  sql: "core noun sql postgres jobs/job.ts",
  tx: "core noun sql tx postgres/sql.ts jobs/job.ts jobs/wallet-driver.ts",
  verb: "core noun schema sql tx signing/key-proof.ts api/operation.ts api/view.ts api/page.ts api/schemas.ts api/notifications.ts jobs/job.ts jobs/wallet-driver.ts npm:typebox",
  schema: "core noun schema api/schemas.ts npm:typebox",
  signing: "core signing node:*",
  postgres: "core postgres node:* npm:pg",
  egress: "core noun verb signing egress node:*",
  memory: "core noun sql signing postgres/database.ts egress/http-wallet.ts egress/wallet-tls.ts node:crypto",
  // The SQL tag's file says what a transaction is, and every call of an operation carries one.
  api: "core noun verb people api postgres/sql.ts jobs/job.ts npm:typebox npm:typebox/*",
  jobs: "core noun sql verb postgres jobs api",
  checkout: "core noun sql postgres checkout api npm:qr",
  "api-docs": "core noun api api-docs",
  home: "core home checkout/icons.ts",
  http: "core noun sql tx people api signing memory postgres jobs checkout api-docs home http node:* npm:fastify npm:typebox npm:typebox/*",
  worker: "core sql postgres jobs worker node:*",
  // The files at the top, and the folder of commands.
  main: `${all} npm:*`,
  test: `${all} npm:fast-check npm:pg npm:playwright-core npm:qr npm:qr/* npm:rolldown test`,
};

const client = "clients/typescript/src/";
const throwAwayDatabase = "server/src/postgres/throw-away.ts";
const lookingAtPages = "server/test/pages/";
const localDatabase = "server/src/postgres/local-server.ts";

/**
 * What the other parts of the product may import from outside of their own folder; a folder inside one may
 * import more. A part that is not listed may import nothing.
 */
export const mayReach: Readonly<Record<string, readonly string[]>> = {
  clients: [],
  // The server's own verifier is tested by the same files as the libraries.
  "clients/conformance": ["server/src/signing/", "server/src/core/currency.ts"],
  "clients/life": [throwAwayDatabase],
  sandbox: [client],
  // How pages are looked at is the same for all that people see.
  "sandbox/src/testing": [lookingAtPages],
  // A process of its own in the same style: what is about people is its own, how to talk to PostgreSQL and HTTP is not.
  accounts: [
    "server/src/core/",
    "server/src/postgres/",
    "server/src/people/",
    // Its audit has the same shape: one program writes and verifies both.
    "server/src/audit/",
    "server/src/signing/",
    "server/src/commands/",
    "server/src/http/security-headers.ts",
    "server/src/http/network-address.ts",
    "server/test/start/",
  ],
  // It starts the programs as processes. What an operator does once, it does with the operator's own commands.
  cli: [
    client,
    localDatabase,
    throwAwayDatabase,
    "server/src/commands/",
    "server/src/postgres/migrate.ts",
    // What the gateway says of a signature and of an acknowledgement, the command line says as well.
    "server/src/signing/",
    "server/src/notifications/attempt.ts",
    // The package has the portal in it.
    "portal/build/build-portal.ts",
  ],
  // How published libraries write a request is a file.
  "cli/src/conform": ["clients/conformance/requests.json"],
  // In the browser: what roles may do, how many digits a currency has, and how a call is written as a program.
  "portal/src": [
    "server/src/people/role.ts",
    "server/src/core/currency.ts",
    "server/src/api-docs/call-samples.ts",
    "clients/generator/library-dialects.ts",
    "clients/generator/library-program.ts",
    "clients/generator/type-reference.ts",
  ],
  // The tables that the portal's types are made from.
  "portal/build": [
    "cli/src/merchant/scenarios/",
    "clients/generator/",
    "server/src/api/acts.ts",
    "server/src/api/openapi.ts",
    "server/src/api/operations.ts",
    "server/src/api/views.ts",
    "server/src/commands/staff-routes.ts",
    "server/src/core/result.ts",
    "server/src/people/console-result.ts",
    "server/src/people/role.ts",
    "accounts/src/api/refusal.ts",
    "accounts/src/routes.ts",
  ],
  "portal/test": [
    client,
    "server/src/people/role.ts",
    "server/src/commands/",
    "server/src/core/book-day.ts",
    "server/src/core/id.ts",
    "server/src/postgres/throw-away.ts",
    "server/test/",
    "accounts/src/credentials/totp.ts",
    "accounts/test/",
  ],
  examples: [client],
  "examples/till/testing": [lookingAtPages],
  benchmarks: [client, throwAwayDatabase],
  // A library is judged by the same cases and steps in every version of its language.
  proof: [
    client,
    throwAwayDatabase,
    "clients/runner.ts",
    "clients/conformance/",
    "clients/life/",
    // The bank of the proofs is the bank of the crash tests.
    "server/test/bank/",
  ],
  // A month of payments is written down by the gateway's own code, because no process can be made to live through it in minutes.
  "proof/month": [
    "proof/",
    "server/src/core/",
    "server/src/ledger/",
    "server/src/postgres/",
    "server/test/bank/",
  ],
  scripts: [
    client,
    throwAwayDatabase,
    "cli/src/",
    "clients/package-names.ts",
    "portal/build/build-portal.ts",
  ],
  tidy: ["server/src/layout.ts"],
};
