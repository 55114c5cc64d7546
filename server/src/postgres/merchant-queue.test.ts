import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openMerchantQueue, TooManyWaiting } from "./merchant-queue.ts";

const limits = { atOnceMax: 2, waitingMax: 3, waitMaxMs: 10_000 };
const ending = { isEnding: true };

/** Test work that ends when the test requests it, with a record of the started work. */
function newWork(): { begin(name: string): () => Promise<void>; end(name: string): void; begun: string[] } {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    begin: (name) => () => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    },
    end: (name) => ends.get(name)?.(),
  };
}

test("a merchant's transactions queue, old work first; other merchants start at once", async () => {
  const { take } = openMerchantQueue(limits);
  const { begin, end, begun } = newWork();
  const all = ["a", "b", "c", "d"].map((name) => take("COFFEE", begin(name)));
  all.push(take("COFFEE", begin("settle"), ending), take("FLOWERS", begin("other")));
  await delay(1);
  assert.deepEqual(begun, ["a", "b", "other"]);
  for (const name of ["a", "b", "settle", "c", "d", "other"]) {
    end(name);
    await delay(1);
  }
  assert.deepEqual(begun, ["a", "b", "other", "settle", "c", "d"]);
  await Promise.all(all);
});

test("new work is rejected at once if the queue is full, but old work is not", async () => {
  const { take, isFull } = openMerchantQueue(limits);
  const { begin, end, begun } = newWork();
  const names = ["a", "b", "c", "d", "e"];
  assert.equal(isFull("COFFEE"), false);
  const all = names.map((name) => take("COFFEE", begin(name)));
  assert.deepEqual([isFull("COFFEE"), isFull("FLOWERS")], [true, false]);
  await assert.rejects(take("COFFEE", begin("f")), TooManyWaiting);
  all.push(take("COFFEE", begin("settle"), ending));
  for (const name of ["a", "b", "settle", "c", "d", "e"]) {
    end(name);
    await delay(1);
  }
  await Promise.all(all);
  assert.ok(!begun.includes("f"));
});

test("work that has waited too long is rejected, and the queue behind it keeps its order", async () => {
  const { take } = openMerchantQueue({ ...limits, atOnceMax: 1, waitMaxMs: 30 });
  const { begin, end, begun } = newWork();
  const first = take("COFFEE", begin("first"));
  await assert.rejects(take("COFFEE", begin("late")), TooManyWaiting);
  const next = take("COFFEE", begin("next"));
  end("first");
  await delay(1);
  end("next");
  await Promise.all([first, next]);
  assert.deepEqual(begun, ["first", "next"]);
});

test("only the wait is idle, and not the work", async () => {
  const { take } = openMerchantQueue({ ...limits, atOnceMax: 1 });
  const { begin, end } = newWork();
  const idling: string[] = [];
  const idle = async <Value>(waiting: Promise<Value>): Promise<Value> => {
    idling.push("begins");
    const value = await waiting;
    idling.push("ends");
    return value;
  };
  const first = take("COFFEE", begin("first"), { isEnding: false, idle });
  assert.deepEqual(idling, []);
  const next = take("COFFEE", begin("next"), { isEnding: false, idle });
  assert.deepEqual(idling, ["begins"]);
  end("first");
  await delay(1);
  assert.deepEqual(idling, ["begins", "ends"]);
  end("next");
  await Promise.all([first, next]);
});

test("failed work frees its slot", async () => {
  const { take } = openMerchantQueue({ ...limits, atOnceMax: 1 });
  await assert.rejects(
    take("COFFEE", () => Promise.reject(new Error("no"))),
    /no/,
  );
  assert.equal(await take("COFFEE", async () => "done"), "done");
});
