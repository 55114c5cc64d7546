import { domains, folders, parts, scripts } from "./layout.ts";
import { file, halves, keepsRule, src, type Rule } from "./testing/tidy-rule.ts";
import {
  filesNamedInVain,
  foldersNotAsLaidOut,
  isLinterSetting,
  rulesOffWithoutReason,
  scriptsNotAsLaidOut,
  wordsNotInGlossary,
} from "./tidy-map.ts";

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
    name: "every file that a document names is there",
    // Not in CONTRIBUTING.md, whose example is no real file, nor in decisions, which name files of their time.
    looksAt: (path) =>
      /^(?:ARCHITECTURE|SECURITY|README)\.md$|^docs\/(?:concepts|operating|reference)\/[^/]+\.md$/.test(path),
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
      src("refunds/refund.sql.ts", "sql`select`"),
      src("refunds/send-refund.sql.ts", "No statement."),
      src("ledger/transfer.ts"),
      src("core/money.ts"),
    ],
    breaks: [src("disputes/dispute.ts"), src("refunds/refund-event.sql.ts", "sql`select`")],
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
