import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { commands } from "../../cli/src/commands.ts";
import { operations } from "../../clients/typescript/src/generated/operations.ts";
import { resultCodes } from "../../clients/typescript/src/generated/result-codes.ts";
import { readGuide, type Guide } from "./guide.ts";
import { prepareReaderFolder, typeProblems } from "./project.ts";
import { runGuide } from "./run-guide.ts";
import { compareOutput } from "./compare-output.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const inRepository = (path: string): string | undefined =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;

const names = readdirSync(join(root, "docs/guides")).filter((name) => name !== "README.md");

test("every guide has the required form, shows output that is checked, and quotes tested files", () => {
  assert.ok(names.length >= 13);
  for (const name of names) {
    const path = `docs/guides/${name}`;
    assert.deepEqual(readGuide(path, inRepository(path) ?? "", inRepository).problems, []);
  }
});

test("the index lists every guide with its own title", () => {
  const index = inRepository("docs/guides/README.md") ?? "";
  for (const name of names) {
    const title = /^# (.*)/.exec(inRepository(`docs/guides/${name}`) ?? "")?.[1];
    assert.ok(index.includes(`[${title}](${name})`), name);
  }
});

test("links of guides lead to existing headings", () => {
  const links = ["README.md", ...names].flatMap((name) => {
    const text = inRepository(`docs/guides/${name}`) ?? "";
    return [...text.matchAll(/\]\(([^)#\s]*)#([^)\s]+)\)/g)].map(([, file = "", anchor = ""]) => ({
      path: posix.join("docs/guides", file || name),
      anchor,
    }));
  });
  assert.ok(links.length > 15);
  for (const { path, anchor } of links) {
    const headings = [...(inRepository(path) ?? "").matchAll(/^#+ (.*)$/gm)].map(([, words = ""]) =>
      words
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    assert.ok(headings.includes(anchor), `${path}#${anchor}`);
  }
});

const areas = "payments|authorizations|merchants|tollgate";

test("operations and commands in guides exist", () => {
  const known = [
    ...Object.keys(operations),
    ...Object.keys(commands).flatMap((name) => name.split(" ")[0] ?? []),
  ];
  const named = names.flatMap((name) => {
    const text = inRepository(`docs/guides/${name}`) ?? "";
    const found = text.matchAll(new RegExp(`\`((?:${areas})/[a-z]\\w+)\`|npx --no tollgate ([\\w-]+)`, "g"));
    return [...found].map(([, operation, command]) => ({ name, what: operation ?? command ?? "" }));
  });
  assert.ok(named.length > 30);
  for (const { name, what } of named) assert.ok(known.includes(what), `${name} names ${what}`);
});

test("result codes listed by a guide are those of the operations that it uses", () => {
  const { paths } = JSON.parse(inRepository("server/openapi.json") ?? "") as OpenApi;
  let count = 0;
  for (const name of names) {
    const text = inRepository(`docs/guides/${name}`) ?? "";
    const calls = new RegExp(`(?:\\.|\`)(${areas})\\s*[./](\\w+)`, "g");
    const codes = [...text.matchAll(calls)].flatMap(
      ([, area, operation]) => paths[`/${area}/${operation}`]?.post["x-result-codes"] ?? [],
    );
    const table = text.split("## Common rejections\n")[1]?.split("\n## ")[0] ?? "";
    const listed = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, code = ""]) => code),
    );
    // A page without operation names, such as one about third-party libraries, may list all result codes.
    const known = codes.length > 0 ? codes : Object.keys(resultCodes);
    for (const code of listed) assert.ok(known.includes(code), `${name} lists ${code}`);
    count += listed.length;
  }
  assert.ok(count > 50);
});

interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly post: { readonly "x-result-codes"?: string[] } }>>;
}

const fence = "```";

/** A page with a correct beginning: its first block is at line 5. */
function page(...lines: readonly string[]): Guide {
  const text = ["# A page", "", "It gets you something.", "", ...lines, ""].join("\n");
  return readGuide("docs/guides/a-page.md", text, inRepository);
}

/** Runs a page that needs no gateway, and returns its problems. */
async function problemsOf(guide: Guide, timeoutMs = 20_000): Promise<readonly string[]> {
  assert.deepEqual(guide.problems, []);
  const folder = await mkdtemp(join(tmpdir(), "tollgate-guides-test-"));
  after(() => rm(folder, { recursive: true, force: true }));
  await prepareReaderFolder(folder, root, [guide]);
  await writeFile(join(folder, ".env"), "GREETING=hello\n");
  return runGuide(guide, folder, { timeoutMs });
}

test("the blocks of a page are one program, and each is compared with its output", async () => {
  const good = page(`${fence}ts
const greeting = process.env.GREETING;
console.log(greeting, 1);
${fence}
${fence}text
hello 1
${fence}
Later:
${fence}ts
import { Money } from "@tollgate/client";
console.log(greeting, Money.of("EUR", "12.50").toAmount().value);
${fence}
${fence}text
hello 1250
${fence}
${fence}sh
name=shell
${fence}
${fence}sh
echo "$name"
${fence}
${fence}text
shell
${fence}`);
  assert.deepEqual(await problemsOf(good), []);
});

test("a block with another output fails with page and line", async () => {
  const wrong = page(`${fence}ts`, 'console.log("SUCCESS");', fence, "", `${fence}text`, "FAIL", fence);
  const [problem = ""] = await problemsOf(wrong);
  assert.match(problem, /^docs\/guides\/a-page\.md:9: the output differs from the page:\n {4}SUCCESS/);
});

test("a program that throws fails with the line of the page that threw", async () => {
  const lines = ["const order = 1;", "if (order) throw new Error('No such order.');", "console.log(order);"];
  const [problem = ""] = await problemsOf(page(`${fence}ts`, ...lines, fence, `${fence}text`, "1", fence));
  assert.match(problem, /^docs\/guides\/a-page\.md:7: ended with 1\n[\s\S]*No such order\./);
});

test("a command that fails in a script fails with its line", async () => {
  const script = page(
    `${fence}sh`,
    "echo begins",
    "",
    "ls /no/such/folder",
    fence,
    `${fence}text`,
    "begins",
    fence,
  );
  const [problem = ""] = await problemsOf(script);
  assert.match(problem, /^docs\/guides\/a-page\.md:8: ended with 2/);
});

test("a variable that is not set fails with its line", async () => {
  const script = page(
    `${fence}sh`,
    "echo begins",
    'echo "$NO_SUCH_SETTING"',
    fence,
    `${fence}text`,
    "…",
    fence,
  );
  const [problem = ""] = await problemsOf(script);
  assert.match(problem, /^docs\/guides\/a-page\.md:7: ended with 1\n.*unbound variable/);
});

test("a program that does not end is killed with its child processes, and its page fails", async () => {
  const stuck = page(`${fence}sh`, "sleep 1000 & sleep 1000", fence, `${fence}text`, "done", fence);
  assert.deepEqual(await problemsOf(stuck, 1_500), ["docs/guides/a-page.md:5: did not end in time"]);
});

test("an unknown field of the client library fails with its line", async () => {
  const wrong = page(`${fence}ts
import { Tollgate } from "@tollgate/client";
const cancel = () => new Tollgate().payments.cancel({ paymentID: "1" });
console.log(typeof cancel);
${fence}
${fence}text
function
${fence}`);
  const folder = await mkdtemp(join(tmpdir(), "tollgate-guides-test-"));
  after(() => rm(folder, { recursive: true, force: true }));
  await prepareReaderFolder(folder, root, [wrong]);
  const [problem = "", ...more] = await typeProblems(folder, root, [wrong]);
  assert.match(problem, /^docs\/guides\/a-page\.md:7: error TS\d+: .*'paymentID'/);
  assert.deepEqual(more, []);
});

const displayedLines = [fence, `${fence}text`, "1", fence];

for (const [what, guide, problem] of [
  ["a title", readGuide("a.md", "Text.\n\nIt is here.\n", inRepository), /^a\.md:1: the first line/],
  [
    "one sentence",
    readGuide("a.md", "# A\n\nIt is here. It is there.\n", inRepository),
    /^a\.md:3: the second/,
  ],
  ["a use for each block", page(`${fence}json`, "{}", fence), /a-page\.md:5: unknown use of this block/],
  ["a reason", page(`${fence}go not run: `, "x", fence), /a-page\.md:5: unknown use of this block/],
  ["an end of each block", page(`${fence}ts`, "x"), /a-page\.md:5: this block has no end/],
  ["output after code", page(`${fence}text`, "1", fence), /a-page\.md:5: no block before this one is run/],
  ["something to check", page(`${fence}ts`, "1;", fence), /a-page\.md:5: nothing is checked/],
  [
    "code on the first screen",
    page(...Array.from({ length: 40 }, () => "word"), `${fence}ts`, "1;", ...displayedLines),
    /a-page\.md:45: the first code comes after line 40/,
  ],
  [
    "quotes that are in the file",
    page(`${fence}ts quoted from scripts/dev.ts`, 'await main(["dev", "--kept"]);', fence),
    /a-page\.md:5: these lines are not in scripts\/dev\.ts/,
  ],
  [
    "quotes of files that are there",
    page(`${fence}ts quoted from scripts/none.ts`, "1;", fence),
    /a-page\.md:5: there is no file scripts\/none\.ts/,
  ],
] as const) {
  test(`a page must have ${what}`, () => {
    assert.match(guide.problems[0] ?? "", problem);
  });
}

test("a quote may have another indentation than its file", () => {
  const quote = ["  public static void main(String[] arguments) {", "    var client ="];
  const guide = page(`${fence}java quoted from clients/interoperability/java/Call.java`, ...quote, fence);
  assert.deepEqual(guide.problems, []);
});

test("ids, times, ports and dots may differ, and nothing else", () => {
  const id = "20261115093000123047601530017744120";
  const same = (a: string, b: string): boolean => compareOutput(a.split("\n"), b.split("\n")) === undefined;
  assert.ok(same(`payment ${id}`, `payment ${id.replaceAll("1", "7")}`));
  assert.ok(!same(`payment ${id}`, `payment ${id}0`));
  assert.ok(same("until 2026-11-23T09:30:00+00:00", "until 2027-01-01T00:00:01+08:00"));
  assert.ok(same("http://127.0.0.1:8484/checkout/…", "http://127.0.0.1:41233/checkout/SANDBOX_1.2.abc"));
  assert.ok(!same("http://127.0.0.1:8484/checkout/…", "http://127.0.0.1:8484/pay/1"));
  assert.ok(same("a\n…\nz", "a\nb\nc\nz"));
  assert.ok(!same("a\nz", "a\nb\nz"));
  assert.ok(!same("1250", "1251"));
});
