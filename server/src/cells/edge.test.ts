import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { bucketOf } from "../core/bucket.ts";
import { writeEdge } from "../operators/cells/manage-cell.ts";
import { renderEdgeFiles } from "./edge.ts";
import {
  findDirectoryEntries,
  parseDirectory,
  withHome,
  serializeDirectory,
  type Directory,
} from "./directory.ts";
import { homeByDirectory } from "./home.ts";

const names = ["a", "b", "c"] as const;
const folder = mkdtempSync(join(tmpdir(), "tollgate-edge-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Stub cells that respond with their name. */
const servers = names.map((name) =>
  createServer((_request, response) => response.end(name)).listen(0, "127.0.0.1"),
);
after(() => servers.forEach((server) => server.close()));

await Promise.all(servers.map((server) => once(server, "listening")));

const merchants = Array.from({ length: 60 }, (_, index) => `SANDBOX_M${index}X${index * 7919}`);
/** Every third merchant has a home other than its bucket's owner. */
const movedMerchants = merchants.filter((_, index) => index % 3 === 0);
const directory = movedMerchants.reduce<Directory>(
  (known, clientId, index) => withHome(known, clientId, { cell: names[(index + 1) % 3] ?? "a", epoch: 1 }),
  parseDirectory(
    JSON.stringify({
      version: 1,
      cells: Object.fromEntries(names.map((name, index) => [name, { url: urlOf(index) }])),
      buckets: [
        { from: 0, to: 340, cell: "a" },
        { from: 341, to: 681, cell: "b" },
        { from: 682, to: 1023, cell: "c" },
      ],
    }),
  ),
);
const bind = `127.0.0.1:${await freePort()}`;
const url = `http://${bind}`;
await writeEdge(directory, { folder, bind });
const edge = spawn("haproxy", ["-f", join(folder, "haproxy.cfg")], { stdio: "ignore" });
after(() => edge.kill("SIGKILL"));

before(() => homeOf("/"));

function urlOf(index: number): string {
  const address = servers[index]?.address();
  assert(typeof address === "object" && address !== null);
  return `http://127.0.0.1:${address.port}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Returns the cell that responds. Repeats the request until a cell responds, because HAProxy marks a cell as down if
 * this process is busy for long.
 */
async function homeOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const answer = await fetch(`${url}${path}`, { headers }).catch(() => undefined);
    const text = (await answer?.text()) ?? "";
    if (answer?.status === 200 && text.length === 1) return text;
    assert.ok(tries < 100, `No cell responds to ${path}: ${text}`);
    await delay(100);
  }
}

test("HAProxy accepts the configuration without warnings", async () => {
  await promisify(execFile)("haproxy", ["-c", "-W", "-f", join(folder, "haproxy.cfg")]);
});

test("all requests, checkout pages and callbacks of 60 merchants, including moved ones, reach their home cell", async () => {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const clientId of merchants) {
    const home = homeByDirectory(findDirectoryEntries(directory, clientId));
    const paymentId = `20261117120000000${String(bucketOf(clientId)).padStart(4, "0")}01000000000001`;
    const answers = await Promise.all([
      homeOf("/ams/sandbox/api/v1/payments/pay", { "client-id": clientId }),
      homeOf(`/checkout/${clientId}.${paymentId}.x/status`),
      homeOf(`/providers/easy/callbacks/${clientId}/${paymentId}`),
    ]);
    for (const answer of answers) {
      if (answer !== home) wrong.push(`${clientId} was routed to ${answer}, and not to ${home}`);
      seen.add(answer);
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...seen].sort(), [...names]);
  const forwardedMerchants = movedMerchants.filter(
    (clientId) => directory.buckets[bucketOf(clientId)] !== directory.clients.get(clientId)?.cell,
  );
  assert.ok(forwardedMerchants.length >= 10);
});

test("a request without a client id is answered by any cell", async () => {
  assert.equal(await homeOf("/docs"), "a");
  assert.equal(
    await homeOf("/checkout/style.css"),
    homeByDirectory(findDirectoryEntries(directory, "style")),
  );
});

test("merchants of a cell that is down get U, with the advice to retry", async () => {
  const clientId =
    merchants.find((each) => homeByDirectory(findDirectoryEntries(directory, each)) === "c") ?? "";
  servers[2]?.close();
  servers[2]?.closeAllConnections();
  for (let tries = 0; ; tries += 1) {
    // The proxy may close an idle connection while the request is sent, so each request has its own.
    const headers = { "client-id": clientId, connection: "close" };
    const answer = await fetch(`${url}/ams/api/v1/payments/pay`, { headers });
    const text = await answer.text();
    if (answer.status === 200 && text !== "c") {
      assert.equal(answer.headers.get("retry-after"), "1");
      assert.match(text, /"resultStatus":"U"/);
      return;
    }
    assert.ok(tries < 100, `still ${answer.status}`);
    await delay(100);
  }
});

test(
  "an edge proxy in a region routes only to cells of its region, and spreads merchants of other regions " +
    "over them",
  () => {
    const cells = new Map(
      [...directory.cells].map(([name, cell]) => [name, { ...cell, region: name === "c" ? "west" : "east" }]),
    );
    const fleet = parseDirectory(serializeDirectory({ ...directory, cells }));
    const files = renderEdgeFiles(fleet, { bind, folder, region: "east" });
    const cellByBucket = new Map(
      files["buckets.map"].split("\n").map((line) => line.split(" ") as [string, string]),
    );
    const otherCells = new Set<string>();
    for (const [bucket, cell] of fleet.buckets.entries()) {
      if (cell === "c") otherCells.add(cellByBucket.get(String(bucket)) ?? "unknown");
      else assert.equal(cellByBucket.get(String(bucket)), cell);
    }
    assert.deepEqual([...otherCells].sort(), ["a", "b"]);
    assert.doesNotMatch(files["haproxy.cfg"], /cell-c/);
    assert.doesNotMatch(files["clients.map"], / c$/m);
    assert.throws(() => renderEdgeFiles(fleet, { bind, folder, region: "north" }), /no cell in the region/);
  },
);

test("a written directory is read back unchanged", () => {
  assert.deepEqual(parseDirectory(serializeDirectory(directory)), directory);
});

for (const [name, change] of Object.entries({
  "a bucket without an owner": { buckets: [{ from: 0, to: 1022, cell: "a" }] },
  "a bucket with two owners": {
    buckets: [
      { from: 0, to: 1023, cell: "a" },
      { from: 3, to: 3, cell: "b" },
    ],
  },
  "an owner that is not a cell": { buckets: [{ from: 0, to: 1023, cell: "z" }] },
  "a client in an unknown cell": { clients: { SANDBOX_X: { cell: "z", epoch: 1 } } },
  "no version": { version: 0 },
  "a cell without an origin": { cells: { a: { url: "http://a/path" } } },
  "a cell at an address that is not http or https": { cells: { a: { url: "ftp://a" } } },
  "a region without a name": { cells: { a: { url: "http://a:1", region: "" } } },
  "operators' pages without an origin": { cells: { a: { url: "http://a:1", operators: "a:9464" } } },
})) {
  test(`a directory with ${name} is refused`, () => {
    const directoryJson = {
      version: 1,
      cells: { a: { url: "http://a:1" }, b: { url: "http://b:1" } },
      buckets: [{ from: 0, to: 1023, cell: "a" }],
    };
    assert.doesNotThrow(() => parseDirectory(JSON.stringify(directoryJson)));
    assert.throws(() => parseDirectory(JSON.stringify({ ...directoryJson, ...change })));
  });
}
