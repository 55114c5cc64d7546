/**
 * The layout of the repository and of server/src: folders, kinds of file, and import rules. `tidy/` enforces it, and
 * `npm run generate` prints it into documents, so there is no other copy. It is in server/src because `generate` is a
 * command of the executable, which imports nothing from outside.
 */

/** The domains. A domain is a folder about one subject, and has the subject's name. */
export const domains = {
  payments: "payments of buyers: online, in a store or with a token; cancels and reversals",
  sessions: "payments whose buyer chooses the payment method on our page",
  captures: "capture of authorized payments, also in parts, and release",
  refunds: "refunds, also in parts",
  registrations: "registration of a merchant's stores with payment providers",
  authorizations: "a buyer's consent to be charged again, and its tokens",
  disputes: "disputes of payments: frozen amounts, evidence, and the provider's decision",
  merchants: "merchants' systems, their addresses and their keys",
  keys: "the gateway's own keys, the installation secret, and the uses of each key",
  ledger: "double entry: transfers, balances, and amounts reserved for refunds",
  notifications: "webhooks: the outbox, delivery and its attempts, and the event feed",
  providers: "the provider protocol: requests and reports, connectors, circuit breakers",
  "open-records": "records that are not final: the party that must act next, and stuck records",
  reports:
    "reports for merchants as files: transactions, batches and their sums, with the columns of this family of interfaces",
  reconciliation: "reconciliation of our records, the ledger and the providers' settlement files",
  bank: "ISO 20022 reports of banks, compared with expected entries",
  settlement:
    "settlement batches: sums owed to merchants, closed by day; `settlement/payouts` pays them out by approved bank files",
  "test-clocks": "test clocks of the sandbox, which merchants advance",
  universes: "isolated test merchants of the sandbox, each for one test run: opened, closed and swept",
  search: "tables for lists, search and charts of people, filled after the commit",
  archive: "archive of old payments: their history is moved into files",
  cells: "scale-out: each merchant's home cell, and the directory by which cells and clients find it",
  moves: "moving a merchant or a bucket to another cell, and the plan that balances cells",
  audit: "audit log: who did what to the installation, and why; a hash chain that shows tampering",
} as const satisfies Readonly<Record<string, string>>;

/** Each folder next to the domains is one kind of file. */
export const folders = {
  core: "vocabulary of all domains: money, ids, result codes, lifecycles, strict JSON, cursors; pure",
  formats: "file and text formats: XML, CSV, HTML escaping, tables for a terminal; pure",
  telemetry: "metrics and trace ids; pure",
  resilience: "circuit breaker, rate limits, backoff, deadlines, single flight; pure",
  signing:
    "the signed text, the signature header, keys, secrets, the interface of signers, and `signing/signature-diagnosis.ts`, which diagnoses invalid signatures",
  postgres:
    "connections, transactions, batched writes, the standby, the `sql` tag, the migrator, the preflight, wake-ups",
  people:
    "roles and their permissions, `people/role.ts`, and the tokens by which `accounts` vouches for a person; pure",
  contract:
    "types that every operation imports: operation, view and job, shared schemas, how requests are read and rejected",
  catalog:
    "lists that import every operation: `catalog/operations.ts` (start here), views, acts, jobs, lifecycles, webhooks; and OpenAPI, derived from them",
  jobs: "the job table: claim, lease and run a job, `jobs/run-job.ts`",
  pdf: "documents as PDF: a font for each script, directions of text, lines and pages",
  checkout: "the page on which a buyer pays",
  "api-docs": "the pages at `/docs`, their search and their Markdown versions",
  home: "the page at `/`, and the one for unknown addresses",
  http: "incoming HTTP, by audience: `merchant-api`, `callbacks` of providers, `pages`, `people` (portal and console), `cells`; with `limits` and `listeners`",
  egress:
    "outgoing HTTP: to merchants signed webhooks through a client guarded against SSRF, `egress/egress.ts`; to payment providers `egress/http-provider.ts`",
  worker: "the loops that claim due jobs, deliver webhooks, number the feed and fill the search",
  settings: "environment variables of every process, read and validated once; rules for live",
  "operator-session":
    "transactions of an operator with the database owner's login, audited and approved: `operator-session/owner-session.ts`",
  operators:
    "operators' commands, a folder for each domain: parse, call the domain, print; `operators/framework` defines commands",
  "staff-console": "the HTTP routes of the operator console",
  processes:
    "process wiring: `serve`, `work`, `serve-staff`, `signer`, and the list of all commands, `processes/operator-commands.ts`; may import everything",
  documents: "generators of documents, and this layout",
} as const satisfies Readonly<Record<string, string>>;

interface FileKind {
  /** The endings of a file name of this kind. Kinds without an ending: verbs are in a list, and the rest are nouns. */
  readonly endings?: readonly string[];
  readonly example: string;
  readonly description: string;
}

/** Inside a domain the name of a file shows its kind. The kind decides which imports are allowed. */
export const fileKinds = {
  noun: {
    example: "payments/payment.ts",
    description:
      "domain model: types, states and rules; `decide-<noun>.ts` decides the effect of a provider's report. Pure: no clock, no randomness, no environment, no SQL",
  },
  sql: {
    endings: [".sql.ts"],
    example: "payments/payment.sql.ts",
    description: "SQL: the statements of one table, as tagged templates",
  },
  tx: {
    endings: [".tx.ts"],
    example: "payments/record-report.tx.ts",
    description:
      "shared parts of transactions: what several verbs write or lock in several tables, in the caller's transaction and without statements of their own",
  },
  verb: {
    example: "payments/pay.ts",
    description: "one operation of the API, one view of the console, or one job, named after its export",
  },
  workflow: {
    endings: [".workflow.ts"],
    example: "settlement/payouts/run-payouts.workflow.ts",
    description:
      "workflow: a use case of an operator in several audited transactions, with files between them. Each step continues an interrupted run",
  },
  schema: {
    endings: [".schema.ts"],
    example: "payments/pay-request.schema.ts",
    description: "part of a request or response schema that is too long for its verb",
  },
  memory: {
    endings: ["-directory.ts", "-cache.ts"],
    example: "merchants/client-directory.ts",
    description: "in-memory state of a process between requests: a cache, or counts to be written",
  },
  test: {
    endings: [".test.ts", ".slow.ts", ".load.ts"],
    example: "payments/pay.test.ts",
    description:
      "tests, next to the tested file; `*.slow.ts` takes longer, `*.load.ts` measures: see [testing](testing.md)",
  },
} as const satisfies Readonly<Record<string, FileKind>>;

/**
 * The lists of all verbs: operations, views, acts and jobs. English does not mark verbs (a `refund`, to `refund`). So a
 * file is a verb if such a list imports its namesake from it: `releaseHold` from `release-hold.ts`.
 */
export const verbLists = [
  "catalog/operations.ts",
  "catalog/views.ts",
  "catalog/acts.ts",
  "catalog/jobs.ts",
] as const;

/** Folders with types and rules without input or output. Every layer may import them. */
export const pureFolders = "core formats telemetry resilience";
const allFolders = `${pureFolders} pdf signing postgres people contract catalog jobs checkout api-docs home http egress worker settings operator-session operators staff-console processes documents noun sql tx workflow verb schema memory main node:*`;

/** Import rules, by kind of file. Other imports are rejected; every file may import node:assert. */
export const allowedImports: Readonly<Record<string, string>> = {
  core: "core node:crypto node:net",
  formats: "core formats",
  telemetry: "core telemetry",
  resilience: "core resilience",
  people: "core people node:crypto",
  noun: `${pureFolders} noun pdf/create-pdf.ts`,
  pdf: `${pureFolders} pdf node:fs node:path npm:pdfkit npm:fontkit npm:bidi-js`,
  sql: `${pureFolders} noun sql postgres contract/job.ts`,
  tx: `${pureFolders} noun sql tx postgres/sql.ts contract/job.ts contract/provider-driver.ts`,
  verb: `${pureFolders} noun schema sql tx signing/key-proof.ts contract npm:typebox`,
  schema: `${pureFolders} noun schema contract/schemas.ts npm:typebox`,
  // A workflow runs audited and approved transactions in sequence, without HTTP, providers or process wiring.
  workflow: `${pureFolders} noun sql tx workflow signing operator-session postgres node:* npm:pg`,
  signing: `${pureFolders} signing node:*`,
  postgres: `${pureFolders} postgres node:* npm:pg`,
  egress: `${pureFolders} noun verb signing egress node:*`,
  memory: `${pureFolders} noun sql signing postgres/database.ts node:crypto`,
  // `contract` may import the SQL tag, whose file defines transactions, because every call of an operation has one.
  contract: `${pureFolders} noun people contract postgres npm:typebox npm:typebox/*`,
  catalog: `${pureFolders} noun schema verb people contract catalog npm:typebox npm:typebox/*`,
  jobs: `${pureFolders} noun sql postgres jobs contract/job.ts`,
  checkout: `${pureFolders} noun sql postgres checkout contract npm:qr`,
  "api-docs": `${pureFolders} noun contract catalog api-docs`,
  home: "core formats home checkout/icons.ts",
  http: `${pureFolders} noun sql tx people contract catalog signing memory postgres jobs checkout api-docs home http node:* npm:fastify npm:typebox npm:typebox/*`,
  worker: `${pureFolders} sql postgres jobs contract/job.ts worker node:*`,
  settings: `${pureFolders} noun people postgres signing settings node:*`,
  "operator-session": `${pureFolders} noun sql postgres operator-session node:* npm:pg`,
  operators: `${pureFolders} noun schema sql tx workflow memory postgres people contract catalog signing egress settings operator-session operators node:* npm:*`,
  "staff-console": `${pureFolders} noun schema sql workflow people contract catalog signing postgres operator-session operators staff-console node:* npm:typebox`,
  documents: `${pureFolders} noun postgres signing contract catalog operators processes documents node:*`,
  // `main.ts` and process wiring.
  main: `${allFolders} npm:*`,
  processes: `${allFolders} npm:*`,
  test: `${allFolders} npm:bidi-js npm:fast-check npm:pg npm:pixelmatch npm:playwright-core npm:pngjs npm:qr npm:qr/* npm:rolldown npm:saxes test`,
};

const client = "clients/typescript/src/";
const temporaryDatabase = "server/src/postgres/temporary-postgres.ts";
const pageTestHelpers = "server/test/pages/";
const localDatabase = "server/src/postgres/local-server.ts";

/**
 * The imports that other parts of the product may make from outside of their own folder. A subfolder with its own entry
 * may import more. A part that is not listed may import nothing.
 */
export const allowedOutsideImports: Readonly<Record<string, readonly string[]>> = {
  clients: [],
  // Tests of the server's verifier use the same files as the client libraries.
  "clients/conformance": ["server/src/signing/", "server/src/core/currency.ts"],
  "clients/life": [temporaryDatabase],
  sandbox: [client],
  // A connector is a separate process in the same style, with the same code for PostgreSQL and settings.
  connectors: [client, "server/src/core/", "server/src/postgres/", "server/src/settings/"],
  "connectors/kit/test": ["server/src/postgres/migrate.ts", "server/test/start/", "cli/src/conform/testing/"],
  "connectors/stripe/test": ["server/src/postgres/temporary-postgres.ts"],
  // Screenshots and page checks use the same code for all pages.
  "sandbox/src/testing": [pageTestHelpers],
  // `accounts` is a separate process in the same style. It has its own code about people, and shares the code for
  // PostgreSQL and HTTP.
  accounts: [
    "server/src/core/",
    "server/src/postgres/",
    "server/src/people/",
    // The audit logs of the gateway and of accounts have the same form, so that one program writes and verifies both.
    "server/src/audit/",
    "server/src/signing/",
    "server/src/formats/",
    "server/src/telemetry/",
    "server/src/resilience/",
    "server/src/settings/",
    "server/src/operators/",
    "server/src/processes/",
    "server/src/http/merchant-api/security-headers.ts",
    "server/test/start/",
  ],
  // The command line starts the programs as processes. For set-up it runs the operator's own commands.
  cli: [
    client,
    localDatabase,
    temporaryDatabase,
    "server/src/core/",
    "server/src/formats/",
    "server/src/operators/",
    // `conform connector` reads a next action as the gateway does.
    "server/src/providers/next-action.ts",
    "server/src/operator-session/",
    "server/src/processes/",
    "server/src/settings/",
    "server/src/documents/",
    "server/src/postgres/migrate.ts",
    // The command line prints the gateway's explanations of signatures and acknowledgements.
    "server/src/signing/",
    "server/src/notifications/delivery-attempt.ts",
    // The check of a connector reads an order's details exactly as the gateway does.
    "server/src/providers/order-details.ts",
    // Scenarios of the command line cover every code with which a payment can be declined.
    "server/src/payments/pay-results.ts",
    // The command line sends test webhooks, so it imports the kinds of webhook and the form of a test webhook.
    "server/src/notifications/notification-kinds.ts",
    "server/src/notifications/test-body.ts",
    // The published package contains the portal and the fonts.
    "portal/build/build-portal.ts",
    "server/src/pdf/fonts.ts",
  ],
  // `tollgate conform` sends the request forms of published libraries, which are in these files.
  "cli/src/conform": ["clients/conformance/requests.json", "clients/conformance/notifications.json"],
  // The portal uses these files in the browser: permissions of roles, digits of currencies, and the source of sample
  // requests.
  "portal/src": [
    "server/src/people/role.ts",
    "server/src/core/currency.ts",
    "server/src/api-docs/call-samples.ts",
    "clients/generator/library-dialects.ts",
    "clients/generator/library-program.ts",
    "clients/generator/type-reference.ts",
  ],
  // The tables from which the portal's types are generated.
  "portal/build": [
    "cli/src/merchant/scenarios/",
    "clients/generator/",
    "server/src/catalog/acts.ts",
    "server/src/catalog/openapi.ts",
    "server/src/catalog/operations.ts",
    "server/src/catalog/views.ts",
    "server/src/staff-console/staff-routes.ts",
    "server/src/processes/operator-commands.ts",
    "server/src/payments/request-texts.ts",
    "server/src/core/translated-name.ts",
    "server/src/notifications/notification-kinds.ts",
    "server/src/core/result.ts",
    "server/src/people/console-result.ts",
    "server/src/people/role.ts",
    "accounts/src/api/refusal.ts",
    "accounts/src/routes.ts",
  ],
  "portal/test": [
    client,
    "server/src/people/role.ts",
    "server/src/operators/",
    "server/src/operator-session/",
    "server/src/staff-console/",
    "server/src/processes/serve.ts",
    "server/src/settings/",
    "server/src/reconciliation/",
    "server/src/settlement/",
    "server/src/core/accounting-day.ts",
    "server/src/core/id.ts",
    "server/src/postgres/temporary-postgres.ts",
    "server/test/",
    "accounts/src/credentials/totp.ts",
    "accounts/test/",
  ],
  examples: [client],
  "examples/till/testing": [pageTestHelpers],
  benchmarks: [client, temporaryDatabase],
  // Load tests of the server's parts (`*.load.ts`).
  "benchmarks/server": ["server/"],
  // The proofs judge all versions of a language's library by the same cases and steps.
  proof: [
    client,
    temporaryDatabase,
    "clients/runner.ts",
    "clients/conformance/",
    "clients/life/",
    // The proofs use the simulated bank of the crash tests.
    "server/test/bank/",
  ],
  // A storm names a single refund to the provider, whose control interface knows refunds by their reference.
  "proof/storm": ["proof/", "server/src/core/provider-reference.ts"],
  // The gateway's own code writes the payments of a month, because no process can run through a month in minutes.
  "proof/month": [
    "proof/",
    "server/src/core/",
    "server/src/ledger/",
    "server/src/postgres/",
    "server/test/bank/",
  ],
  scripts: [
    client,
    temporaryDatabase,
    "cli/src/",
    "cli/copy-fonts.ts",
    "server/src/pdf/fonts.ts",
    "clients/package-names.ts",
    "portal/build/build-portal.ts",
    // The scripts apply a patch to a copy of the source tree.
    "proof/seeded-bugs/copied-tree.ts",
    // The scripts read imports, to decide which test files share a process.
    "tidy/tidy.ts",
  ],
  tidy: ["server/src/documents/", "proof/reports/evidence-index.ts"],
};
