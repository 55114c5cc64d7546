import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readSettings } from "./settings.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-secret-"));
after(() => rmSync(folder, { recursive: true }));
const url = "postgres://serve:secret@db.internal/tollgate_live";

function fileWith(text: string, mode: number): string {
  const file = join(folder, `${mode.toString(8)}-${text.length}`);
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

test("the address of the database may be in a file, as systemd, podman and Kubernetes provide secrets", () => {
  for (const mode of [0o400, 0o440, 0o600]) {
    const file = fileWith(`${url}\n`, mode);
    const settings = readSettings({
      TOLLGATE_DATABASE_URL_FILE: file,
      TOLLGATE_OWNER_DATABASE_URL_FILE: file,
    });
    assert.equal(settings.databaseUrl, url);
    assert.equal(settings.ownerDatabaseUrl, url);
    assert.equal(settings.hasOwnerLogin, true);
  }
  assert.equal(readSettings({}).hasOwnerLogin, false);
});

test("a file that others can read, or the group can write, is rejected", () => {
  for (const mode of [0o444, 0o404, 0o460, 0o644]) {
    const settings = readSettings({ TOLLGATE_DATABASE_URL_FILE: fileWith(url, mode) });
    assert.throws(() => settings.databaseUrl, /others can read or change it\. Set it to 0400/);
  }
});

test("a file without exactly one line is rejected, and so is an address that is given twice", () => {
  for (const text of ["", `${url}\n${url}\n`]) {
    const settings = readSettings({ TOLLGATE_DATABASE_URL_FILE: fileWith(text, 0o400) });
    assert.throws(() => settings.databaseUrl, /has to hold one line/);
  }
  const twice = readSettings({
    TOLLGATE_DATABASE_URL: url,
    TOLLGATE_DATABASE_URL_FILE: fileWith(url, 0o400),
  });
  assert.throws(() => twice.databaseUrl, /TOLLGATE_DATABASE_URL or TOLLGATE_DATABASE_URL_FILE, and not both/);
});
