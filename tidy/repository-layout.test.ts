import { domains, folders } from "../server/src/documents/layout.ts";
import { repositoryParts, packageScripts } from "../server/src/documents/repository.ts";
import { file, joinHalves, testRule, src, type Rule } from "./rule.ts";
import { kindByEnding } from "./tidy.ts";
import {
  findDeadReferences,
  findUnlistedFolders,
  isLinterSetting,
  findDisabledRulesWithoutReason,
  findUnlistedScripts,
  findTestsWithoutTier,
  findWordsMissingInGlossary,
} from "./repository-layout.ts";

const glossary = "docs/concepts/glossary.md";
const serverFolders = [...Object.keys(domains), ...Object.keys(folders)];

const layoutRules: readonly Rule[] = [
  {
    name: "the layout lists every folder, and only existing ones",
    appliesTo: (path) => path.includes("/"),
    fileCountMin: 500,
    check: (files) => findUnlistedFolders(files, Object.keys(repositoryParts)),
    allowed: [
      ...serverFolders.filter((name) => name !== "ledger").map((name) => src(`${name}/a.ts`)),
      ...Object.keys(repositoryParts).map((name) => file(`${name}/a.ts`)),
      file(".ci/run"),
    ],
    breaks: [file("tools/a.ts"), src("documents/layout.ts")],
  },
  {
    name: "the layout lists every script, and only existing ones",
    appliesTo: (path) => path === "package.json",
    fileCountMin: 1,
    check: findUnlistedScripts,
    breaks: [file("package.json", JSON.stringify({ scripts: { ...packageScripts, lnit: "oxlint" } }))],
  },
  {
    name: "every test runs in the tier of its file ending",
    appliesTo: (path) => /\.[a-z0-9]+\.ts$/.test(path) && (kindByEnding(path) ?? "test") === "test",
    fileCountMin: 200,
    check: findTestsWithoutTier,
    allowed: [
      file(
        "package.json",
        JSON.stringify({
          scripts: {
            test: "node --test 'server/**/*.test.ts'",
            "test:slow": "node --test 'server/**/*.{slow,test}.ts'",
          },
        }),
      ),
      src("payments/pay.slow.ts"),
      src("payments/pay.ts"),
      src("payments/payment.sql.ts"),
    ],
    breaks: [src("payments/pay.test.ts"), src("payments/pay.proof.ts"), file("proof/pay.slow.ts")],
  },
  {
    name: "every file that a document names exists",
    // The rule excludes CONTRIBUTING.md, whose example file does not exist, and decisions, which name files of their
    // time.
    appliesTo: (path) =>
      /^(?:ARCHITECTURE|SECURITY|(?:(?:benchmarks|proof|scripts)\/)?README)\.md$|^docs\/(?:concepts|internals|operating|reference)\/[^/]+\.md$/.test(
        path,
      ),
    fileCountMin: 15,
    check: findDeadReferences,
    allowed: [
      src("payments/pay.ts"),
      file(
        "CONTRIBUTING.md",
        "`payments/pay.ts`, `server/src/payments/pay.ts`, `pay.ts`, `*.ts`, `/etc/pay.ts`",
      ),
    ],
    breaks: [
      file("ARCHITECTURE.md", "See `payments/paid.ts`."),
      file("docs/reference/limits.md", "See `payments.ts`."),
    ],
  },
  {
    name: "the glossary has an entry for each domain and its tables",
    appliesTo: (path) => path === glossary || path.startsWith("server/src/"),
    fileCountMin: 40,
    check: findWordsMissingInGlossary,
    allowed: [
      file(
        glossary,
        "| word | name | meaning |\n| --- | --- | --- |\n| refund, partial refund | | … |\n| books | `ledger` | refunds |\n",
      ),
      src("refunds/refund.sql.ts"),
      src("refunds/record-refund.tx.ts"),
      src("ledger/transfer.ts"),
      src("core/money.ts"),
    ],
    breaks: [src("disputes/dispute.ts"), src("refunds/refund-event.sql.ts")],
  },
  {
    name: "a disabled lint rule has a reason",
    appliesTo: (path) => isLinterSetting(path) || /\.(?:ts|js)$/.test(path),
    fileCountMin: 40,
    check: findDisabledRulesWithoutReason,
    allowed: [
      src("core/a.ts", joinHalves("// oxlint-dis", "able-next-line no-console -- The log is not open yet.")),
      file(
        "redocly.yaml",
        "telemetry: off\nrules:\n  # There is no other status.\n  operation-4xx-response: off\n",
      ),
    ],
    breaks: [
      file(
        ".oxlintrc.json",
        '{ "rules": {\n  // An example shows what comes of it.\n  "no-console": "off",\n  "eqeqeq": "off"\n} }',
      ),
      file(".squawk.toml", 'excluded_rules = [\n  "prefer-robust-stmts",\n]\n'),
      src("core/b.ts", joinHalves("// oxlint-dis", "able-next-line no-console")),
    ],
  },
];

for (const rule of layoutRules) testRule(rule);
