import { printEvidenceIndex, readEvidence } from "../proof/reports/evidence-index.ts";
import { findUnlinkedFiles, incompleteEvidence, outdatedEvidenceIndex } from "./evidence-rules.ts";
import { file, testRule } from "./rule.ts";

const isEvidence = (path: string): boolean => path.startsWith("docs/evidence/");
const complete = file(
  "docs/evidence/flood.md",
  "# flood, 2026-11-16\n\n`node proof/flood.ts --tries 20` at commit 4fccd6b96a95, on 2 cores.\n",
);
const pages = [readEvidence(complete.path, complete.text)];
const described = printEvidenceIndex("# Evidence\n\n| [flood](flood.md) | floods |\n", pages);

testRule({
  name: "every page of evidence is in one folder, and names its command, commit and date",
  appliesTo: isEvidence,
  fileCountMin: 30,
  check: incompleteEvidence,
  breaks: [
    file("docs/evidence/2026-11-16/flood.md", complete.text),
    file("docs/evidence/no-command.md", complete.text.replace("node", "run")),
    file("docs/evidence/no-commit.md", complete.text.replace("commit", "")),
    file("docs/evidence/no-date.md", complete.text.replace("2026-", "")),
  ],
  allowed: [complete, file("docs/evidence/README.md", described)],
});

testRule({
  name: "the index of the evidence has a correct row for each page",
  appliesTo: isEvidence,
  fileCountMin: 30,
  check: outdatedEvidenceIndex,
  breaks: [file("docs/evidence/README.md", described.replace("4fccd6b9", "00000000"))],
  allowed: [complete],
});

testRule({
  name: "the index of the evidence states what each page proves",
  appliesTo: isEvidence,
  fileCountMin: 30,
  check: outdatedEvidenceIndex,
  breaks: [file("docs/evidence/README.md", printEvidenceIndex("# Evidence\n", pages))],
  allowed: [complete],
});

testRule({
  name: "every committed picture, and every other file in the evidence folder, is linked by a document",
  appliesTo: (path) => isEvidence(path) || /\.(?:md|png|jpe?g|gif|webp)$/.test(path),
  fileCountMin: 100,
  check: findUnlinkedFiles,
  breaks: [file("docs/evidence/storm.json", "{}"), file("portal/test/pictures/home.png")],
  allowed: [
    file("docs/evidence/storm.md", "![a chart](storm.svg)"),
    file("docs/evidence/storm.svg"),
    file("README.md", "![checkout](docs/screenshots/checkout.png)"),
    file("docs/screenshots/checkout.png"),
  ],
});
