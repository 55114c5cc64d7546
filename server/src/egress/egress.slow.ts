import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";
import type { Report } from "../../test/egress/egress-namespace.ts";
import { hideNetworkDetails } from "./delivery-outcome.ts";

/**
 * These tests run in a network namespace in which one process has every address and answers DNS. Two of the addresses
 * belong to an honest merchant. No trick of a merchant leads to a connection to another address, and the merchant gets
 * the same result each time. Needs root or the privilege to create namespaces, and `ip` of iproute2.
 */
const program = fileURLToPath(new URL("../../test/egress/egress-namespace.ts", import.meta.url));
const asRoot = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
/**
 * In CI, the container of a pull request may not create network namespaces, but the container of the main branch may.
 */
const isPullRequest = process.env["GITHUB_EVENT_NAME"] === "pull_request";
const namespaceRun = await promisify(execFile)(
  "unshare",
  ["--net", ...asRoot, "--", process.execPath, program],
  {
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000,
  },
).catch((error: unknown) => {
  if (!isPullRequest || !/Operation not permitted/.test(String(error))) throw error;
  return undefined;
});
const report = JSON.parse(namespaceRun?.stdout ?? "{}") as Report;
const inNamespace = namespaceRun ? test : test.skip;

const timings = { dnsMs: 1, connectMs: 2, tlsMs: undefined, firstByteMs: undefined, totalMs: 7 };
const unreached = JSON.stringify(
  hideNetworkDetails({ httpStatus: 0, answer: "", failure: "blocked", detail: "10.0.0.1", timings }),
);

inNamespace(
  "No trick with an address, a URL or DNS reaches a place where a merchant must not lead us",
  (context) => {
    assert.deepEqual(report.forbidden, []);
    const count = report.tried.length + report.redirects.length;
    context.diagnostic(`${count} tricks, ${report.forbidden.length} connections to a forbidden place`);
    assert.ok(count >= 400, `${count} tricks`);
  },
);

inNamespace(
  "Every refused address gives the merchant the same answer, whether the host exists and however long it took",
  () => {
    for (const { trick, reportedErrors: heard, details } of report.tried) {
      // DNS rebinding: the first query for a name with `times` leads to the honest merchant, so the test skips the
      // first outcome.
      const after = trick.times === undefined ? heard : heard.slice(1);
      assert.ok(after.length > 0);
      for (const outcome of after)
        assert.equal(outcome, unreached, `${JSON.stringify(trick)} ${details.join(", ")}`);
    }
  },
);

inNamespace("The operator knows better: blocked, no address and no connection are all among them", () => {
  const failures = new Set(report.tried.flatMap((one) => one.failures));
  for (const failure of ["blocked", "no address", "no connection"]) assert.ok(failures.has(failure), failure);
});

inNamespace(
  "A host name that changes to a private address is checked for each request (DNS rebinding)",
  () => {
    const rebound = report.tried.filter(({ trick }) => trick.times !== undefined);
    assert.ok(rebound.length >= 50);
    for (const { trick, failures } of rebound)
      assert.deepEqual(failures, ["200", "blocked", "blocked"], JSON.stringify(trick));
  },
);

inNamespace(
  "The honest merchant is reached, by address and by name, so nothing above is for want of a network",
  () => {
    for (const { trick, failures, details } of report.honest)
      assert.deepEqual(failures, ["200"], `${JSON.stringify(trick)} ${details.join(", ")}`);
    assert.ok(report.merchantConnections >= report.honest.length);
  },
);

inNamespace("No redirect is followed, not even to where a message might have gone", () => {
  assert.equal(report.redirects.length, 25);
  for (const { trick, failures } of report.redirects)
    assert.deepEqual(failures, [new URL(trick.url).searchParams.get("status")]);
  assert.equal(report.redirectTargetHits, 0);
});
