import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

/** Checks of the systemd units without starting them; `npm run evidence -- package` starts them. */
const unitsFolder = fileURLToPath(new URL("../../deploy/systemd/", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "tollgate-units-"));
after(() => rmSync(root, { recursive: true, force: true }));
const folder = join(root, "lib/systemd/system");
const sharedSettings = join(folder, "tollgate-@.service.d/program.conf");
const exposureMax = 2;
const units = ["serve", "staff", "work", "signer"].map((name) => `tollgate-${name}@sandbox.service`);
const skip = spawnSync("systemd-analyze", ["--version"]).status === 0 ? false : "there is no systemd-analyze";

mkdirSync(folder, { recursive: true });
cpSync(unitsFolder, folder, { recursive: true });
// Targets that the units require, as empty files for systemd's check.
for (const target of ["sysinit", "basic", "shutdown", "network-online", "multi-user"])
  writeFileSync(join(folder, `${target}.target`), "[Unit]\nDefaultDependencies=no\n");
for (const program of ["usr/lib/tollgate/bin/node", "bin/sh"]) {
  mkdirSync(join(root, program, ".."), { recursive: true });
  writeFileSync(join(root, program), "");
  chmodSync(join(root, program), 0o755);
}
const original = readFileSync(sharedSettings, "utf8");

/** `verifyUnits` returns systemd's messages about settings of the units that it does not understand. */
function verifyUnits(): string {
  const args = ["verify", `--root=${root}`, "--man=no", ...units];
  return spawnSync("systemd-analyze", args, { encoding: "utf8" }).stderr;
}

function readExposure(unit: string): number {
  const args = ["security", "--offline=true", "--no-pager", `--root=${root}`, unit];
  const output = execFileSync("systemd-analyze", args, { encoding: "utf8" });
  return Number(/Overall exposure level for \S+: ([\d.]+)/.exec(output)?.[1]);
}

/** Runs `check` with one line of the shared settings replaced. */
function withReplacedLine<Found>(line: string, replacement: string, check: () => Found): Found {
  const changed = original.replace(`\n${line}\n`, `\n${replacement}\n`);
  assert.notEqual(changed, original, `There is no line ${line}`);
  writeFileSync(sharedSettings, changed);
  try {
    return check();
  } finally {
    writeFileSync(sharedSettings, original);
  }
}

test("systemd accepts every line of the units", { skip }, () => {
  assert.equal(verifyUnits(), "");
  assert.match(
    withReplacedLine("NoNewPrivileges=yes", "NoNewPrivilege=yes", verifyUnits),
    /Unknown key 'NoNewPrivilege'/,
  );
});

test("no unit has more access to the machine than it needs", { skip }, () => {
  for (const unit of units) assert.ok(readExposure(unit) <= exposureMax, `${unit}: ${readExposure(unit)}`);
  const [serve = ""] = units;
  const exposure = withReplacedLine("CapabilityBoundingSet=", "CapabilityBoundingSet=~", () =>
    readExposure(serve),
  );
  assert.ok(exposure > exposureMax, `With all capabilities the exposure is only ${exposure}`);
});

test("each process of each environment has its own user, and no user has the name of the signer's group", () => {
  assert.match(original, /^User=tollgate-%j-%i$/m);
  assert.match(
    readFileSync(join(unitsFolder, "tollgate-signer@.service"), "utf8"),
    /^Group=tollgate-signer$/m,
  );
});
