import assert from "node:assert/strict";
import { call, pathOf, type ReceivedAnswer, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import type { ReceivedNotification, TestShop } from "../start/test-shop.ts";
import type { TestProvider } from "../start/test-stack.ts";
import type { Random } from "./hash-random.ts";
import { newMerchantAccounting, type MerchantAccounting } from "./merchant-accounting.ts";

/** One simulated merchant: its requests, its webhooks and its own accounting. */
export interface MerchantSimulation {
  readonly merchant: TestMerchant;
  readonly accounting: MerchantAccounting;
  readonly provider: TestProvider;
  /** The current day on the merchant's test clock. */
  readonly day: () => number;
  request(path: string, body: object): Promise<ReceivedAnswer>;
  /** Retries while the outcome is unknown; returns the result code. */
  codeOf(path: string, body: object): Promise<string>;
  /** Waits for a webhook that fits, and returns it. */
  waitForWebhook(
    isMatch: (body: Readonly<Record<string, unknown>>) => boolean,
  ): Promise<ReceivedNotification>;
  advance(days: number): Promise<void>;
}

export interface SimulationOptions {
  readonly url: string;
  readonly merchant: TestMerchant;
  readonly provider: TestProvider;
  readonly shop: TestShop;
}

export function newMerchantSimulation({
  url,
  merchant,
  provider,
  shop,
}: SimulationOptions): MerchantSimulation {
  let today = 0;
  let advanceCount = 0;
  const ask = (path: string, body: object): Promise<ReceivedAnswer> =>
    call(url, merchant, { path: pathOf("sandbox", path), body: JSON.stringify(body) });
  const codeOf = async (path: string, body: object): Promise<string> => {
    const isFinal = ({ json }: ReceivedAnswer): boolean => json.result["resultStatus"] !== "U";
    const { json } = await eventually(30_000, () => ask(path, body), isFinal);
    return String(json.result["resultCode"]);
  };
  return {
    merchant,
    provider,
    request: ask,
    codeOf,
    accounting: newMerchantAccounting(),
    day: () => today,
    async waitForWebhook(isMatch) {
      const found = await eventually(
        20_000,
        async () => shop.all().findLast(({ json }) => isMatch(json)),
        Boolean,
      );
      assert(found);
      return found;
    },
    async advance(days) {
      advanceCount += 1;
      const request = { turnRequestId: `day-${advanceCount}`, bySeconds: days * 24 * 3600 };
      assert.equal(await codeOf("tollgate/advanceClock", request), "SUCCESS");
      today += days;
    },
  };
}

/** A story that takes days: each yielded number is the number of days to wait. */
export type Story = (
  simulation: MerchantSimulation,
  name: string,
  random: Random,
) => AsyncGenerator<number, void>;

interface RunningStory {
  readonly name: string;
  readonly story: AsyncGenerator<number, void>;
  dueDay: number;
}

/** Runs all stories in the order of their days; on the same day, in the order of their start. */
export async function runSimulation(
  simulation: MerchantSimulation,
  stories: readonly (readonly [string, Story])[],
  random: Random,
): Promise<void> {
  const running: RunningStory[] = stories.map(([kind, plot], index) => {
    const name = `${kind} ${index}`;
    const storyRandom = random.fork(name);
    // A long story starts early enough to finish.
    return {
      name,
      story: plot(simulation, name.replaceAll(" ", "-"), storyRandom),
      dueDay: storyRandom.between(0, lastStartDay),
    };
  });
  while (running.length > 0) {
    const next = running.reduce((first, each) => (each.dueDay < first.dueDay ? each : first));
    if (next.dueDay > simulation.day()) await simulation.advance(next.dueDay - simulation.day());
    const { done, value } = await next.story.next();
    if (done) running.splice(running.indexOf(next), 1);
    else next.dueDay = simulation.day() + value;
  }
  if (simulation.day() < simulationDays) await simulation.advance(simulationDays - simulation.day());
}

export const simulationDays = 400;
const lastStartDay = 280;
