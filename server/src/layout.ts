/**
 * The layout of server/src: its folders, its kinds of file, and who may import whom. The tidy test enforces it, and
 * `npm run generate` prints it into ARCHITECTURE.md, so there is no other copy of it.
 */

/** The parts of the repository: every folder at the top, and subfolders that a newcomer looks for. */
export const parts = {
  server: "the gateway: one executable, with all of its [commands](ARCHITECTURE.md#commands)",
  "server/migrations":
    "the database, in numbered SQL files; [schema.sql](server/schema.sql) is what they come to",
  sandbox: "a wallet that moves no money, and breaks when it is told to",
  clients:
    "client libraries in four languages, [how they are made](clients/DESIGN.md), the cases that they all pass, and other people's libraries against a running gateway",
  examples: "signed calls with nothing but openssl and curl",
  proof:
    "storms, crashes, failovers and floods against real processes, and planted bugs that have to be caught",
  benchmarks: "what a call costs, beside what PostgreSQL and OpenSSL cost alone",
  scripts: "`npm run dev`, the examples run as a test, and a reader for the log",
  docs: "everything else there is to read",
} as const satisfies Readonly<Record<string, string>>;

/** The scripts of package.json, which cannot hold comments. */
export const scripts = {
  check: "all that a change has to pass: format, lint, types, tests, generated files",
  format: "write all files as they are to be laid out",
  "format:check": "tell which are not",
  lint: "oxlint for the code, squawk for migrations, redocly for OpenAPI",
  types: "the compiler, which writes nothing",
  test: "every `*.test.ts`: seconds each, three minutes in all",
  generate: "write what is derived from the code",
  "generate:check": "tell what would change, without a database",
  dev: "a whole gateway on your machine, to try it out",
  bench: "what a call costs, beside PostgreSQL and OpenSSL alone",
  points: "every `*.proof.ts` but loads: crash points, browsers, the model; minutes",
  loads: "every `*-load.proof.ts`, one at a time, because they measure",
  prove: "a storm of faults against real processes",
  evidence: "all proofs at full size, with reports in docs/evidence",
  interoperability: "other people's client libraries against a gateway",
  conformance: "the cases that all four client libraries pass",
  life: "a merchant's life with each client library",
  packages: "the client libraries as they would be published",
  examples: "the examples, run",
  "version:write": "writes the version of `package.json` wherever it stands",
  release: "a new version: changelogs dated, documents frozen; see RELEASING.md",
} as const satisfies Readonly<Record<string, string>>;

/** A domain is a folder about one thing, named after it. */
export const domains = {
  payments: "what a buyer pays: online, in a store, in a session or with a token; cancels and reversals",
  captures: "taking what is held of a payment, in parts, or letting it go",
  refunds: "giving back what was paid, in parts",
  registrations: "telling wallets about a merchant's stores before they may sell there",
  authorizations: "a buyer's consent to be charged again, and the tokens that stand for it",
  disputes: "a buyer who contests a payment: freeze, evidence, and how the wallet ends it",
  merchants: "merchants' systems and their keys, the gateway's own keys, and the installation's secret",
  ledger: "double entry: transfers, balances, and what is reserved for refunds",
  notifications: "telling merchants: the outbox, delivery through a guarded way out, and the feed",
  wallets: "the wallet protocol: calls and reports, connectors, breakers",
  oversight: "records that are not final: whose move it is, and which are stuck",
  matching: "reconciliation: our records, the ledger and the wallets' settlement files compared",
  clocks: "the sandbox's test clocks, which merchants turn ahead",
} as const satisfies Readonly<Record<string, string>>;

/** A folder around the domains is a kind of file by itself. */
export const folders = {
  core: "words that all domains share: money, ids, result codes, lifecycles, strict JSON; pure",
  signing: "the signed text, the header, keys, secrets, and the port behind which the gateway's keys sign",
  postgres:
    "connections, transactions, batched writes, the standby, the `sql` tag, the migrator, the preflight, wake-ups",
  api: "what an operation is, shared schemas, OpenAPI, and `api/operations.ts`: **the table of contents**",
  jobs: "what a job is, `jobs/run-job.ts` that runs one, and `jobs/jobs.ts`: the list of all",
  checkout: "the page on which a buyer pays",
  reference: "the page at `/docs`",
  http: "the edge in: `http/server.ts`, `http/admit.ts`, `http/answer-arrival.ts`, `http/run-operation.ts`",
  worker: "the loops that take due jobs, deliver notifications and number the feed",
  commands: "what the executable can do: `commands/command.ts` lists it, `main.ts` runs it",
  testing: "what tests use to start a gateway, a wallet and a database",
} as const satisfies Readonly<Record<string, string>>;

/** Inside a domain the kind of a file follows from its name, or from what it builds on. */
export const kinds = {
  noun: {
    example: "payments/settlement.ts",
    is: "types, states and rules. Pure: no clock, no randomness, no environment, no SQL. *Nouns decide.*",
  },
  schema: { example: "payments/pay-request.ts", is: "a request that is too long to stand in its verb" },
  sql: {
    example: "payments/payment.sql.ts",
    is: "the statements of one table, as tagged templates, or what several verbs write in one transaction. *SQL remembers.*",
  },
  verb: { example: "payments/pay.ts", is: "one operation of the API, or one job. *Verbs act.*" },
  outbound: { example: "wallets/http-wallet.ts", is: "what speaks to wallets and merchants" },
  test: {
    example: "payments/pay.test.ts",
    is: "stands beside what it tests; `*.proof.ts` takes longer and is run by `npm run points`",
  },
} as const satisfies Readonly<Record<string, { readonly example: string; readonly is: string }>>;

const all =
  "core signing postgres api jobs checkout reference http worker noun schema sql verb outbound main node:*";

/** Import rules, by kind of file. Anything that is not listed is refused; every file may import node:assert. */
export const mayImport: Readonly<Record<string, string>> = {
  core: "core node:crypto",
  noun: "core noun",
  schema: "core noun schema api/schemas.ts npm:typebox",
  sql: "core noun sql postgres jobs/job.ts",
  verb: "core noun schema sql api/operation.ts api/schemas.ts jobs/job.ts npm:typebox",
  signing: "core signing node:*",
  postgres: "core postgres node:* npm:pg",
  outbound: "core noun verb signing outbound node:*",
  // The SQL tag's file says what a transaction is, and every call of an operation carries one.
  api: "core noun verb api postgres/sql.ts jobs/job.ts npm:typebox npm:typebox/*",
  jobs: "core noun sql verb postgres jobs api",
  checkout: "core noun sql postgres checkout api npm:qr",
  reference: "core noun api reference",
  http: "core noun sql api signing outbound postgres jobs checkout reference http node:* npm:fastify npm:typebox npm:typebox/*",
  worker: "core sql postgres jobs worker node:*",
  // The files at the top, and the folder of commands.
  main: `${all} npm:*`,
  test: `${all} npm:fast-check npm:pg npm:playwright-core npm:qr npm:qr/* test`,
};

const client = "clients/typescript/src/";
const throwAwayDatabase = "server/src/postgres/throw-away.ts";

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
  examples: [client],
  benchmarks: [client, throwAwayDatabase],
  proof: [client, throwAwayDatabase],
  scripts: [client, throwAwayDatabase],
};
