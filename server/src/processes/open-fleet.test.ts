import assert from "node:assert/strict";
import { createSecretKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { utimesSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import { prepareTestGateway, writeTestFile } from "../../test/start/test-gateway.ts";
import { openClientDirectory } from "../merchants/client-directory.ts";
import { openDatabase } from "../postgres/database.ts";
import { deriveSecrets } from "../signing/secrets.ts";
import { signDocument } from "../signing/signed-document.ts";
import { initCell } from "../operators/cells/manage-cell.ts";
import { openFleet, type OpenFleet } from "./open-fleet.ts";

/**
 * These tests have a cell with the login of `serve`, and a directory file that an attacker without the signing key
 * replaces by older signed copies.
 */
const { database } = await prepareTestGateway("sandbox");
await initCell({ url: database.ownerUrl, environment: "sandbox" }, "a", [1]);
const open = openDatabase({
  url: database.appUrl,
  applicationName: "test",
  connectionsMax: 2,
  onFault: () => undefined,
});
after(() => open.close());
const engine = {
  database: open,
  clients: openClientDirectory(open, () => performance.now()),
  secrets: { ...deriveSecrets(randomBytes(32)), peers: createSecretKey(randomBytes(32)) },
};
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const directoryKeyFile = writeTestFile(
  "fleet.pem",
  String(publicKey.export({ type: "spki", format: "pem" })),
);
const directoryFile = writeTestFile("directory.json", "");
let written = 0;

function publish(version: number, url = "http://127.0.0.1:1"): void {
  const directory = {
    version,
    cells: { a: { url: "https://a.example" }, b: { url } },
    buckets: [{ from: 0, to: 1023, cell: "a" }],
    clients: {},
  };
  writeFileSync(directoryFile, signDocument("directory", JSON.stringify(directory), privateKey));
  utimesSync(directoryFile, (written += 1), written);
}

async function start(environment: "sandbox" | "live" = "sandbox"): Promise<OpenFleet> {
  const fleet = await openFleet({ cell: "a", directoryFile, directoryKeyFile, environment }, engine);
  return fleet ?? assert.fail();
}

test("an old copy of a signed directory is rejected while a process runs and after a restart", async () => {
  publish(9);
  const first = await start();
  publish(3);
  await assert.rejects(first.refresh(), /is version 3, and this cell has used version 9/);
  assert.equal(first.directory()?.version, 9);
  await assert.rejects(start(), /is version 3, and this cell has used version 9/);
  publish(9);
  assert.equal((await start()).directory()?.version, 9);
  publish(10);
  await first.refresh();
  assert.equal(first.directory()?.version, 10);
  publish(9);
  await assert.rejects(start(), /is version 9, and this cell has used version 10/);
});

test("PostgreSQL refuses to lower the directory version that a cell has used", async () => {
  await assert.rejects(
    asSuperuser("update cell set directory_version = directory_version - 1", [], database.appUrl),
    { message: /directory_version of the cell cannot decrease/ },
  );
});

test("in live, a cell's address is https, or on this machine", async () => {
  publish(11, "http://10.0.0.5:8080");
  await assert.rejects(
    start("live"),
    /Cell b has the address http:\/\/10\.0\.0\.5:8080: in live it has to be https/,
  );
  assert.equal((await start()).directory()?.version, 11);
  publish(12, "https://10.0.0.5:8080");
  assert.equal((await start("live")).directory()?.version, 12);
  publish(13, "http://127.0.0.1:8080");
  assert.equal((await start("live")).directory()?.version, 13);
});
