import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** The measurement on a page of `docs/evidence`; undefined if the page does not name it. */
export interface Evidence {
  readonly subject: string;
  readonly command: string | undefined;
  readonly commit: string | undefined;
  readonly date: string | undefined;
}

/** The first command, commit and date on a page. */
export function readEvidence(path: string, text: string): Evidence {
  // The first matching command counts. The claim on a page may contain other commands, such as the one that starts the
  // measured program.
  const command =
    /`(node (?:proof|benchmarks)\/[^`]+)`/.exec(text) ?? /`((?:[A-Z_]+=\S+ )*(?:node|npm) [^`]+)`/.exec(text);
  const [, commit, changes = ""] = /\bcommit\s+([0-9a-f]{7,40})\b( with changes)?/i.exec(text) ?? [];
  return {
    subject: basename(path, ".md"),
    command: command?.[1]?.replace(/ --report \S+/, "").replaceAll(/\s+/g, " "),
    commit: commit && commit.slice(0, 8) + changes,
    date: /\b\d{4}-\d\d-\d\d(?!\d)/.exec(text)?.[0],
  };
}

const heads = ["| subject | shows | command | commit | date |", "| --- | --- | --- | --- | --- |"];

/** The index with a row for each page. The column `shows` is written by hand, and kept. */
export function printEvidenceIndex(index: string, pages: readonly Evidence[]): string {
  const descriptions = new Map(
    [...index.matchAll(/^\| \[[^\]]+\]\(([\w-]+)\.md\) \| ([^|]*) \|/gm)].map(([, subject, shows]) => [
      subject,
      shows,
    ]),
  );
  const rows = pages
    .toSorted((a, b) => a.subject.localeCompare(b.subject, "en"))
    .map(({ subject, command, commit, date }) => {
      const cells = [
        `[${subject}](${subject}.md)`,
        descriptions.get(subject) ?? "",
        `\`${command}\``,
        `${commit}`,
        `${date}`,
      ];
      return `| ${cells.join(" | ")} |`;
    });
  const prose = index.split("\n").filter((line) => !line.startsWith("|"));
  return `${prose.join("\n").trimEnd()}\n\n${[...heads, ...rows].join("\n")}\n`;
}

/** Updates `README.md` of the folder after a page was created or deleted: `node proof/reports/evidence-index.ts`. */
export function writeEvidenceIndex(folder: string): void {
  const pages = readdirSync(folder)
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .map((name) => readEvidence(name, readFileSync(join(folder, name), "utf8")));
  const file = join(folder, "README.md");
  writeFileSync(file, printEvidenceIndex(readFileSync(file, "utf8"), pages));
}

if (import.meta.main) writeEvidenceIndex(join(import.meta.dirname, "../../docs/evidence"));
