import { domains, folders, parts, scripts } from "../server/src/layout.ts";
import { file, halves, keepsRule, src, type Rule } from "./rule.ts";
import { kindByEnding } from "./tidy.ts";
import {
  filesNamedInVain,
  foldersNotAsLaidOut,
  isLinterSetting,
  rulesOffWithoutReason,
  scriptsNotAsLaidOut,
  testsInNoTier,
  wordsNotInGlossary,
} from "./map.ts";

const glossary = "docs/concepts/glossary.md";
const rooms = [...Object.keys(domains), ...Object.keys(folders)];

const map: readonly Rule[] = [
  {
    name: "the layout tells of every folder, and of none that is gone",
    looksAt: (path) => path.includes("/"),
    fileCountMin: 500,
    check: (files) => foldersNotAsLaidOut(files, Object.keys(parts)),
    beside: [
      ...rooms.filter((name) => name !== "ledger").map((name) => src(`${name}/a.ts`)),
      ...Object.keys(parts).map((name) => file(`${name}/a.ts`)),
      file(".ci/run"),
    ],
    breaks: [file("tools/a.ts"), src("layout.ts")],
  },
  {
    name: "the layout tells of every script, and of none that is gone",
    looksAt: (path) => path === "package.json",
    fileCountMin: 1,
    check: scriptsNotAsLaidOut,
    breaks: [file("package.json", JSON.stringify({ scripts: { ...scripts, lnit: "oxlint" } }))],
  },
  {
    name: "every test is run by the tier that its name says",
    looksAt: (path) => /\.[a-z0-9]+\.ts$/.test(path) && (kindByEnding(path) ?? "test") === "test",
    fileCountMin: 200,
    check: testsInNoTier,
    beside: [
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
    name: "every file that a document names is there",
    // Not in CONTRIBUTING.md, whose example is no real file, nor in decisions, which name files of their time.
    looksAt: (path) =>
      /^(?:ARCHITECTURE|SECURITY|(?:(?:benchmarks|proof|scripts)\/)?README)\.md$|^docs\/(?:concepts|internals|operating|reference)\/[^/]+\.md$/.test(
        path,
      ),
    fileCountMin: 15,
    check: filesNamedInVain,
    beside: [
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
    name: "the glossary has a word for each domain, and for all that it keeps",
    looksAt: (path) => path === glossary || path.startsWith("server/src/"),
    fileCountMin: 40,
    check: wordsNotInGlossary,
    beside: [
      file(glossary, "| word | means |\n| --- | --- |\n| refund, to give back | … |\n| ledger | refunds |\n"),
      src("refunds/refund.sql.ts"),
      src("refunds/record-refund.tx.ts"),
      src("ledger/transfer.ts"),
      src("core/money.ts"),
    ],
    breaks: [src("disputes/dispute.ts"), src("refunds/refund-event.sql.ts")],
  },
  {
    name: "a lint rule that is off has its reason beside it",
    looksAt: (path) => isLinterSetting(path) || /\.(?:ts|js)$/.test(path),
    fileCountMin: 40,
    check: rulesOffWithoutReason,
    beside: [
      src("core/a.ts", halves("// oxlint-dis", "able-next-line no-console -- The log is not open yet.")),
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
      src("core/b.ts", halves("// oxlint-dis", "able-next-line no-console")),
    ],
  },
];

for (const rule of map) keepsRule(rule);
