import assert from "node:assert/strict";
import { test } from "node:test";
import { findGateway } from "../configured-gateway.ts";
import { openSandbox } from "../sandbox.ts";
import { triggers } from "../triggers.ts";
import { startDevInstallation } from "../../testing/dev-installation.ts";
import { takeSample } from "../../testing/sample.ts";
import { allScenarios } from "./scenarios.ts";

/** Runs every event of `trigger` and every scenario of `scenarios` against a complete gateway. */
const dev = await startDevInstallation();
const gateway = await findGateway(dev.folder);

interface TestCase {
  readonly name: string;
  readonly movesClock?: true | undefined;
  readonly run: () => Promise<void>;
}

const triggerCases: readonly TestCase[] = Object.entries(triggers).map(
  ([name, { webhook, movesClock, run }]) => ({
    name: `trigger ${name} sends its webhook to the merchant`,
    movesClock,
    async run() {
      const sandbox = await openSandbox(gateway, () => undefined);
      const [kind, expectedText] = webhook;
      const event = await sandbox.waitForWebhook(kind, await run(sandbox), expectedText);
      assert.equal(event.kind, kind);
    },
  }),
);

const scenarioCases: readonly TestCase[] = Object.entries(allScenarios).map(
  ([code, { movesClock, force }]) => ({
    name: `${code} is forced by its scenario`,
    movesClock,
    async run() {
      const { result } = await force(await openSandbox(gateway, () => undefined));
      assert.equal((result as { readonly resultCode?: string }).resultCode, code);
    },
  }),
);

/** The codes whose scenarios have lasting effects. They run last, in this order. */
const lastCodes = ["REQUEST_TRAFFIC_EXCEED_LIMIT", "UNKNOWN_EXCEPTION", "UNAVAILABLE_PAYMENT_METHOD"];

/**
 * Ranks the cases. Those that advance the clock run first, while few actions are pending, because advancing the clock
 * runs all due actions.
 */
function rankOf({ name, movesClock }: TestCase): number {
  const lastRank = lastCodes.findIndex((code) => name.startsWith(code));
  return lastRank >= 0 ? 2 + lastRank : Number(!movesClock);
}

const orderedCases = [...triggerCases, ...scenarioCases].toSorted(
  (left, right) => rankOf(left) - rankOf(right),
);
for (const { name, run } of takeSample(orderedCases, 4)) test(name, run);
