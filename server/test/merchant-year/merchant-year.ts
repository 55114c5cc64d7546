import assert from "node:assert/strict";
import { call, pathOf, type ReceivedAnswer, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import type { ReceivedNotification, TestShop } from "../start/test-shop.ts";
import type { TestWallet } from "../start/test-stack.ts";
import type { Random } from "./random.ts";
import { newBook, type Book } from "./reference-ledger.ts";

/** One simulated merchant: its requests, its webhooks and its own accounting. */
export interface Life {
  readonly merchant: TestMerchant;
  readonly book: Book;
  readonly provider: TestWallet;
  /** The current day on the merchant's test clock. */
  readonly day: () => number;
  ask(path: string, body: object): Promise<ReceivedAnswer>;
  /** Retries while the outcome is unknown; returns the result code. */
  codeOf(path: string, body: object): Promise<string>;
  /** Waits for a webhook that fits, and returns it. */
  told(fits: (body: Readonly<Record<string, unknown>>) => boolean): Promise<ReceivedNotification>;
  advance(days: number): Promise<void>;
}

export interface Places {
  readonly url: string;
  readonly merchant: TestMerchant;
  readonly provider: TestWallet;
  readonly shop: TestShop;
}

export function newLife({ url, merchant, provider, shop }: Places): Life {
  let today = 0;
  let turns = 0;
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
    ask,
    codeOf,
    book: newBook(),
    day: () => today,
    async told(fits) {
      const found = await eventually(
        20_000,
        async () => shop.all().findLast(({ json }) => fits(json)),
        Boolean,
      );
      assert(found);
      return found;
    },
    async advance(days) {
      turns += 1;
      const turn = { turnRequestId: `day-${turns}`, bySeconds: days * 24 * 3600 };
      assert.equal(await codeOf("tollgate/advanceClock", turn), "SUCCESS");
      today += days;
    },
  };
}

/** A story that takes days: each yielded number is the number of days to wait. */
export type Plot = (life: Life, name: string, random: Random) => AsyncGenerator<number, void>;

interface Running {
  readonly name: string;
  readonly story: AsyncGenerator<number, void>;
  dueDay: number;
}

/** Runs all stories in the order of their days; on the same day, in the order of their start. */
export async function live(
  life: Life,
  plots: readonly (readonly [string, Plot])[],
  random: Random,
): Promise<void> {
  const running: Running[] = plots.map(([kind, plot], index) => {
    const name = `${kind} ${index}`;
    const own = random.fork(name);
    // A long story starts early enough to finish.
    return { name, story: plot(life, name.replaceAll(" ", "-"), own), dueDay: own.between(0, lastBeginning) };
  });
  while (running.length > 0) {
    const next = running.reduce((first, each) => (each.dueDay < first.dueDay ? each : first));
    if (next.dueDay > life.day()) await life.advance(next.dueDay - life.day());
    const { done, value } = await next.story.next();
    if (done) running.splice(running.indexOf(next), 1);
    else next.dueDay = life.day() + value;
  }
  if (life.day() < lifeDays) await life.advance(lifeDays - life.day());
}

export const lifeDays = 400;
const lastBeginning = 280;
