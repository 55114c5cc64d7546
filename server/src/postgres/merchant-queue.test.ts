import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openMerchantQueue, TooManyWaiting } from "./merchant-queue.ts";

const limits = { concurrencyMax: 2, waitingMax: 3, waitMaxMs: 10_000 };
const completion = { isCompletion: true };

/** Test work that ends when the test requests it, with a record of the started work. */
function newWork(): { begin(name: string): () => Promise<void>; end(name: string): void; started: string[] } {
  const started: string[] = [];
  const finishers = new Map<string, () => void>();
  return {
    started,
    begin: (name) => () => {
      started.push(name);
      return new Promise((resolve) => finishers.set(name, resolve));
    },
    end: (name) => finishers.get(name)?.(),
  };
}

test("a merchant's transactions queue, old work first; other merchants start at once", async () => {
  const { run } = openMerchantQueue(limits);
  const { begin, end, started } = newWork();
  const all = ["a", "b", "c", "d"].map((name) => run("COFFEE", begin(name)));
  all.push(run("COFFEE", begin("settle"), completion), run("FLOWERS", begin("other")));
  await delay(1);
  assert.deepEqual(started, ["a", "b", "other"]);
  for (const name of ["a", "b", "settle", "c", "d", "other"]) {
    end(name);
    await delay(1);
  }
  assert.deepEqual(started, ["a", "b", "other", "settle", "c", "d"]);
  await Promise.all(all);
});

test("new work is rejected at once if the queue is full, but old work is not", async () => {
  const { run, isFull } = openMerchantQueue(limits);
  const { begin, end, started } = newWork();
  const names = ["a", "b", "c", "d", "e"];
  assert.equal(isFull("COFFEE"), false);
  const all = names.map((name) => run("COFFEE", begin(name)));
  assert.deepEqual([isFull("COFFEE"), isFull("FLOWERS")], [true, false]);
  await assert.rejects(run("COFFEE", begin("f")), TooManyWaiting);
  all.push(run("COFFEE", begin("settle"), completion));
  for (const name of ["a", "b", "settle", "c", "d", "e"]) {
    end(name);
    await delay(1);
  }
  await Promise.all(all);
  assert.ok(!started.includes("f"));
});

test("work that has waited too long is rejected, and the queue behind it keeps its order", async () => {
  const { run } = openMerchantQueue({ ...limits, concurrencyMax: 1, waitMaxMs: 30 });
  const { begin, end, started } = newWork();
  const first = run("COFFEE", begin("first"));
  await assert.rejects(run("COFFEE", begin("late")), TooManyWaiting);
  const next = run("COFFEE", begin("next"));
  end("first");
  await delay(1);
  end("next");
  await Promise.all([first, next]);
  assert.deepEqual(started, ["first", "next"]);
});

test("only the wait is idle, and not the work", async () => {
  const { run } = openMerchantQueue({ ...limits, concurrencyMax: 1 });
  const { begin, end } = newWork();
  const idling: string[] = [];
  const releaseSlotWhile = async <Value>(waiting: Promise<Value>): Promise<Value> => {
    idling.push("begins");
    const value = await waiting;
    idling.push("ends");
    return value;
  };
  const first = run("COFFEE", begin("first"), { isCompletion: false, releaseSlotWhile });
  assert.deepEqual(idling, []);
  const next = run("COFFEE", begin("next"), { isCompletion: false, releaseSlotWhile });
  assert.deepEqual(idling, ["begins"]);
  end("first");
  await delay(1);
  assert.deepEqual(idling, ["begins", "ends"]);
  end("next");
  await Promise.all([first, next]);
});

test("failed work frees its slot", async () => {
  const { run } = openMerchantQueue({ ...limits, concurrencyMax: 1 });
  await assert.rejects(
    run("COFFEE", () => Promise.reject(new Error("no"))),
    /no/,
  );
  assert.equal(await run("COFFEE", async () => "done"), "done");
});
