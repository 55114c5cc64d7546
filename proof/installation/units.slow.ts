import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

/** Checks of the systemd units without starting them; `npm run evidence -- package` starts them. */
const own = fileURLToPath(new URL("../../deploy/systemd/", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "tollgate-units-"));
after(() => rmSync(root, { recursive: true, force: true }));
const folder = join(root, "lib/systemd/system");
const shared = join(folder, "tollgate-@.service.d/program.conf");
const exposedMost = 2;
const units = ["serve", "staff", "work", "signer"].map((name) => `tollgate-${name}@sandbox.service`);
const skip = spawnSync("systemd-analyze", ["--version"]).status === 0 ? false : "there is no systemd-analyze";

mkdirSync(folder, { recursive: true });
cpSync(own, folder, { recursive: true });
// Targets that the units require, as empty files for systemd's check.
for (const target of ["sysinit", "basic", "shutdown", "network-online", "multi-user"])
  writeFileSync(join(folder, `${target}.target`), "[Unit]\nDefaultDependencies=no\n");
for (const program of ["usr/lib/tollgate/bin/node", "bin/sh"]) {
  mkdirSync(join(root, program, ".."), { recursive: true });
  writeFileSync(join(root, program), "");
  chmodSync(join(root, program), 0o755);
}
const asItIs = readFileSync(shared, "utf8");

/** `complaints` returns systemd's messages about settings of the units that it does not understand. */
function complaints(): string {
  const words = ["verify", `--root=${root}`, "--man=no", ...units];
  return spawnSync("systemd-analyze", words, { encoding: "utf8" }).stderr;
}

function exposureOf(unit: string): number {
  const words = ["security", "--offline=true", "--no-pager", `--root=${root}`, unit];
  const said = execFileSync("systemd-analyze", words, { encoding: "utf8" });
  return Number(/Overall exposure level for \S+: ([\d.]+)/.exec(said)?.[1]);
}

/** Runs `find` with one line of the shared settings replaced. */
function withError<Found>(line: string, by: string, find: () => Found): Found {
  const changed = asItIs.replace(`\n${line}\n`, `\n${by}\n`);
  assert.notEqual(changed, asItIs, `There is no line ${line}`);
  writeFileSync(shared, changed);
  try {
    return find();
  } finally {
    writeFileSync(shared, asItIs);
  }
}

test("systemd accepts every line of the units", { skip }, () => {
  assert.equal(complaints(), "");
  assert.match(
    withError("NoNewPrivileges=yes", "NoNewPrivilege=yes", complaints),
    /Unknown key 'NoNewPrivilege'/,
  );
});

test("no unit has more access to the machine than it needs", { skip }, () => {
  for (const unit of units) assert.ok(exposureOf(unit) <= exposedMost, `${unit}: ${exposureOf(unit)}`);
  const [serve = ""] = units;
  const open = withError("CapabilityBoundingSet=", "CapabilityBoundingSet=~", () => exposureOf(serve));
  assert.ok(open > exposedMost, `With all capabilities the exposure is only ${open}`);
});

test("each process of each environment has its own user, and no user has the name of the signer's group", () => {
  assert.match(asItIs, /^User=tollgate-%j-%i$/m);
  assert.match(readFileSync(join(own, "tollgate-signer@.service"), "utf8"), /^Group=tollgate-signer$/m);
});
