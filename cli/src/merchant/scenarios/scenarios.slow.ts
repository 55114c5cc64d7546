import assert from "node:assert/strict";
import { test } from "node:test";
import { findGateway } from "../known-gateway.ts";
import { openSandbox } from "../sandbox.ts";
import { triggers } from "../triggers.ts";
import { startDevWorld } from "../../testing/dev-world.ts";
import { sampleOf } from "../../testing/sample.ts";
import { allScenarios } from "./scenarios.ts";

/** Runs every event of `trigger` and every scenario of `scenarios` against a complete gateway. */
const world = await startDevWorld();
const gateway = await findGateway(world.folder);

interface Case {
  readonly name: string;
  readonly movesClock?: true | undefined;
  readonly run: () => Promise<void>;
}

const told: readonly Case[] = Object.entries(triggers).map(([name, { tells, movesClock, run }]) => ({
  name: `trigger ${name} sends its webhook to the merchant`,
  movesClock,
  async run() {
    const sandbox = await openSandbox(gateway, () => undefined);
    const [kind, what] = tells;
    const event = await sandbox.told(kind, await run(sandbox), what);
    assert.equal(event.kind, kind);
  },
}));

const forced: readonly Case[] = Object.entries(allScenarios).map(([code, { movesClock, force }]) => ({
  name: `${code} is forced by its scenario`,
  movesClock,
  async run() {
    const { result } = await force(await openSandbox(gateway, () => undefined));
    assert.equal((result as { readonly resultCode?: string }).resultCode, code);
  },
}));

/** The codes whose scenarios have lasting effects. They run last, in this order. */
const last = ["REQUEST_TRAFFIC_EXCEED_LIMIT", "UNKNOWN_EXCEPTION", "UNAVAILABLE_PAYMENT_METHOD"];

/**
 * Ranks the cases. Those that advance the clock run first, while few actions are pending, because advancing the clock
 * runs all due actions.
 */
function rankOf({ name, movesClock }: Case): number {
  const lasts = last.findIndex((code) => name.startsWith(code));
  return lasts >= 0 ? 2 + lasts : Number(!movesClock);
}

const inOrder = [...told, ...forced].toSorted((one, other) => rankOf(one) - rankOf(other));
for (const { name, run } of sampleOf(inOrder, 4)) test(name, run);
