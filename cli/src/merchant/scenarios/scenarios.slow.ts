import assert from "node:assert/strict";
import { test } from "node:test";
import { findGateway } from "../known-gateway.ts";
import { openSandbox } from "../sandbox.ts";
import { triggers } from "../triggers.ts";
import { startDevWorld } from "../../testing/dev-world.ts";
import { sampleOf } from "../../testing/sample.ts";
import { allScenarios } from "./scenarios.ts";

/** Whatever `trigger` and `scenarios` say that can be had, is had, against a whole gateway. */
const world = await startDevWorld();
const gateway = await findGateway(world.folder);

interface Case {
  readonly name: string;
  readonly movesClock?: true | undefined;
  readonly run: () => Promise<void>;
}

const told: readonly Case[] = Object.entries(triggers).map(([name, { tells, movesClock, run }]) => ({
  name: `trigger ${name} makes the merchant be told`,
  movesClock,
  async run() {
    const sandbox = await openSandbox(gateway, () => undefined);
    const [kind, what] = tells;
    const event = await sandbox.told(kind, await run(sandbox), what);
    assert.equal(event.kind, kind);
  },
}));

const forced: readonly Case[] = Object.entries(allScenarios).map(([code, { movesClock, force }]) => ({
  name: `${code} is forced as it is said`,
  movesClock,
  async run() {
    const { result } = await force(await openSandbox(gateway, () => undefined));
    assert.equal((result as { readonly resultCode?: string }).resultCode, code);
  },
}));

/** Those that leave the world worse than it was come last. */
const last = ["REQUEST_TRAFFIC_EXCEED_LIMIT", "UNKNOWN_EXCEPTION", "UNAVAILABLE_PAYMENT_METHOD"];

/** A clock that is moved waits for whatever is due on the way, so it is moved while there is little. */
function rankOf({ name, movesClock }: Case): number {
  const lasts = last.findIndex((code) => name.startsWith(code));
  return lasts >= 0 ? 2 + lasts : Number(!movesClock);
}

const inOrder = [...told, ...forced].toSorted((one, other) => rankOf(one) - rankOf(other));
for (const { name, run } of sampleOf(inOrder, 4)) test(name, run);
