import assert from "node:assert/strict";
import { test } from "node:test";
import {
  newVisitor,
  registerWithPasskey,
  startGatewayOf,
  startTestPortal,
  type Visitor,
} from "./test-portal.ts";

/** A telephone of the middle class on a slow network, as Lighthouse imitates it. */
const network = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 96_000 };
const cpuSlowdown = 4;

/**
 * Lighthouse calls good: 1.8 s to the first paint, 2.5 s to the largest, 200 ms of blocking, a shift of 0.1. The first paint and the shift are held to that.
 * The other two are told and not held: 500 KB of script, which React and Mantine are, run at a quarter of the speed before there is anything large to paint, and on
 * a machine that others share the same page was blocked for 870 ms in one hour and 1,610 in another.
 */
const bounds = { firstPaintMs: 1_800, shift: 0.1 };

const portal = await startTestPortal({ isCompressed: true });
await startGatewayOf(portal);

/** Runs in the page before anything else does. */
const watch = `(() => {
  window.seen = { largestPaintMs: 0, blockedMs: 0, shift: 0 };
  const on = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  on("largest-contentful-paint", ({ startTime }) => { window.seen.largestPaintMs = startTime; });
  on("longtask", ({ duration }) => { window.seen.blockedMs += duration - 50; });
  on("layout-shift", ({ value, hadRecentInput }) => { if (!hadRecentInput) window.seen.shift += value; });
})()`;

const told = `({
  ...window.seen,
  firstPaintMs: performance.getEntriesByName("first-contentful-paint")[0].startTime,
  kilobytes: [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")]
    .reduce((sum, { transferSize }) => sum + transferSize, 0) / 1000,
})`;

type Seen = typeof bounds & Readonly<Record<"largestPaintMs" | "blockedMs" | "kilobytes", number>>;

/** With an empty cache, and then the page is left in peace for two seconds. */
async function seenBy({ page }: Visitor, path: string, heading: string): Promise<Seen> {
  await page.addInitScript(watch);
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.clearBrowserCache");
  await session.send("Network.emulateNetworkConditions", network);
  await session.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
  await page.goto(portal.url + path);
  await page.getByRole("heading", { name: heading, exact: true }).first().waitFor();
  await page.waitForTimeout(2_000);
  return page.evaluate<Seen>(told);
}

for (const [path, heading, isSignedIn] of [
  ["/sign-in", "Sign in", false],
  ["/register", "Register", false],
  ["/sandbox", "Hello, Coffee Lab", true],
  ["/security", "Security", true],
] as const)
  test(`${path} is there soon on a slow telephone with an empty cache`, async (t) => {
    const visitor = await newVisitor(portal, { viewport: { width: 390, height: 844 } });
    const person = { name: "Ada", email: `ada${path.slice(1)}@coffee.example`, organisation: "Coffee Lab" };
    if (isSignedIn) await registerWithPasskey(portal, visitor, person);
    const seen = await seenBy(visitor, path, heading);
    t.diagnostic(
      `${path}: first paint ${seen.firstPaintMs.toFixed(0)} ms, largest ${seen.largestPaintMs.toFixed(0)} ms, ` +
        `blocked ${seen.blockedMs.toFixed(0)} ms, shifted ${seen.shift.toFixed(3)}, ${seen.kilobytes.toFixed(0)} KB`,
    );
    for (const name of ["firstPaintMs", "shift"] as const)
      assert.ok(seen[name] <= bounds[name], `${name}: ${seen[name]}`);
  });
