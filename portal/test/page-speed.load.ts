import assert from "node:assert/strict";
import { test } from "node:test";
import {
  newVisitor,
  registerWithPasskey,
  startGatewayFor,
  startTestPortal,
  type Visitor,
} from "./test-portal.ts";

/** A mid-range phone on a slow network, with the values of Lighthouse. */
const network = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 96_000 };
const cpuSlowdown = 4;

/**
 * Lighthouse's limits for "good": first paint 1.8 s, largest paint 2.5 s, blocking time 200 ms, layout shift 0.1. The
 * test enforces the first paint and the shift. It only reports the other two: 500 KB of script (React and Mantine)
 * run at a quarter of the speed before the largest paint, and on a shared machine the blocking time of the same page
 * was 870 ms in one hour and 1,610 ms in another.
 */
const bounds = { firstPaintMs: 1_800, shift: 0.1 };

const portal = await startTestPortal({ isCompressed: true });
await startGatewayFor(portal);

/** This script runs in the page before all others. */
const watch = `(() => {
  window.seen = { largestPaintMs: 0, blockedMs: 0, shift: 0 };
  const on = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  on("largest-contentful-paint", ({ startTime }) => { window.seen.largestPaintMs = startTime; });
  on("longtask", ({ duration }) => { window.seen.blockedMs += duration - 50; });
  on("layout-shift", ({ value, hadRecentInput }) => { if (!hadRecentInput) window.seen.shift += value; });
})()`;

const metricsScript = `({
  ...window.seen,
  firstPaintMs: performance.getEntriesByName("first-contentful-paint")[0].startTime,
  kilobytes: [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")]
    .reduce((sum, { transferSize }) => sum + transferSize, 0) / 1000,
})`;

type PageMetrics = typeof bounds & Readonly<Record<"largestPaintMs" | "blockedMs" | "kilobytes", number>>;

/** `measurePage` loads the page with an empty cache and then waits two seconds. */
async function measurePage({ page }: Visitor, path: string, heading: string): Promise<PageMetrics> {
  await page.addInitScript(watch);
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.clearBrowserCache");
  await session.send("Network.emulateNetworkConditions", network);
  await session.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
  await page.goto(portal.url + path);
  await page.getByRole("heading", { name: heading, exact: true }).first().waitFor();
  await page.waitForTimeout(2_000);
  return page.evaluate<PageMetrics>(metricsScript);
}

for (const [path, heading, isSignedIn] of [
  ["/sign-in", "Sign in", false],
  ["/register", "Register", false],
  ["/sandbox", "Hello, Coffee Lab", true],
  ["/security", "Security", true],
] as const)
  test(`${path} loads within the limits on a slow phone with an empty cache`, async (t) => {
    const visitor = await newVisitor(portal, { viewport: { width: 390, height: 844 } });
    const person = { name: "Ada", email: `ada${path.slice(1)}@coffee.example`, organisation: "Coffee Lab" };
    if (isSignedIn) await registerWithPasskey(portal, visitor, person);
    const metrics = await measurePage(visitor, path, heading);
    t.diagnostic(
      `${path}: first paint ${metrics.firstPaintMs.toFixed(0)} ms, largest ${metrics.largestPaintMs.toFixed(0)} ms, ` +
        `blocked ${metrics.blockedMs.toFixed(0)} ms, shifted ${metrics.shift.toFixed(3)}, ${metrics.kilobytes.toFixed(0)} KB`,
    );
    for (const name of ["firstPaintMs", "shift"] as const)
      assert.ok(metrics[name] <= bounds[name], `${name}: ${metrics[name]}`);
  });
