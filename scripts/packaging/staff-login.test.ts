import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** Every package has the process `serve-staff`, and passes the login of the operator console to no other process. */
const deploy = fileURLToPath(new URL("../../deploy/", import.meta.url));
const read = (path: string): string => readFileSync(join(deploy, path), "utf8");

/** `partsOf` returns the parts of a YAML mapping by name: all lines below `name:` at this indentation. */
function partsOf(text: string, indent: string): ReadonlyMap<string, string> {
  const start = new RegExp(`^${indent}([\\w-]+):`, "m");
  const parts = text.split(new RegExp(`^(?=${indent}[\\w-]+:)`, "m")).filter((part) => start.test(part));
  return new Map(parts.map((part) => [start.exec(part)?.[1] ?? "", part]));
}

test("compose: only the service staff has the login", () => {
  const services = partsOf(partsOf(read("compose.yaml"), "").get("services") ?? "", "  ");
  const filesWithLogin = [...services].filter(([, part]) => /staff_url|STAFF_DATABASE/.test(part));
  assert.deepEqual(
    filesWithLogin.map(([name]) => name),
    ["staff"],
  );
  assert.match(services.get("staff") ?? "", /command: \[serve-staff\]/);
});

test("kube: only the deployment of staff has the login", () => {
  const filesWithLogin = readdirSync(join(deploy, "kube")).filter((name) =>
    /staff\.url|STAFF_DATABASE/.test(read(`kube/${name}`)),
  );
  assert.deepEqual(filesWithLogin, ["staff.yaml"]);
  assert.match(read("kube/staff.yaml"), /args: \[serve-staff\]/);
});

test("chart: only the template of staff has the login", () => {
  const folder = "helm/tollgate/templates";
  const filesWithLogin = readdirSync(join(deploy, folder)).filter((name) =>
    /secrets\.staff|STAFF_DATABASE/.test(read(`${folder}/${name}`)),
  );
  assert.deepEqual(filesWithLogin, ["staff.yaml"]);
  assert.match(read(`${folder}/staff.yaml`), /args: \[serve-staff\]/);
});

test("systemd: the unit of staff starts the program in the same way as the other units", () => {
  const startIn = (text: string): string | undefined => /^ExecStart=(.+)$/m.exec(text)?.[1];
  const commonStart = startIn(read("systemd/tollgate-@.service.d/program.conf"));
  const staffUnit = read("systemd/tollgate-staff@.service.d/staff.conf");
  assert.equal(startIn(staffUnit), commonStart?.replace("%j", "serve-staff"));
  // The empty `ExecStart=` removes the previous command. Without it the unit would have two commands, and systemd would
  // reject it.
  assert.match(staffUnit, /^ExecStart=\nExecStart=/m);
});
