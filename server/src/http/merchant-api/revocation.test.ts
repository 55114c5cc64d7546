import assert from "node:assert/strict";
import { test } from "node:test";
import { addMerchantKey, revokeMerchantKey } from "../../operators/merchants/merchant.ts";
import { changeMerchant } from "../../operators/merchants/merchant-settings.ts";
import { startServeProcess } from "../../../test/start/serve-process.ts";
import {
  call,
  inquiryPath,
  newKeyPair,
  newMerchant,
  pathOf,
  prepareTestGateway,
  type TestMerchant,
} from "../../../test/start/test-gateway.ts";

const refusedWithinMs = 1_000;
const addedKeyCount = 4;

const { database, variables } = await prepareTestGateway("sandbox");
const operator = { url: database.ownerUrl, environment: database.environment };
const merchant = await newMerchant(database, "Coffee Lab");
const suspended = await newMerchant(database, "Closed Lab");
const pairs = await Promise.all(
  Array.from({ length: addedKeyCount }, (_, index) => newKeyPair(`next-${index}`)),
);
const processes = [await startServeProcess(variables), await startServeProcess(variables)];
const path = pathOf("sandbox", inquiryPath);

test("an added key works at once, in every process", async () => {
  const traffic = startTraffic(merchant);
  await traffic.flows();
  const codes: string[] = [];
  for (const { privateKey, publicKeyFile } of pairs) {
    const keyVersion = await addMerchantKey(operator, merchant.clientId, {
      publicKeyFile,
      proofFile: undefined,
    });
    const moved = { ...merchant, privateKey, keyVersion };
    codes.push(...(await Promise.all(processes.map(({ url }) => ask(url, moved)))));
  }
  await traffic.stop();

  assert.deepEqual(new Set(codes), new Set(["ORDER_NOT_EXIST"]));
  assert.deepEqual(new Set(traffic.answers.map(({ code }) => code)), new Set(["ORDER_NOT_EXIST"]));
});

test("a revoked key is rejected within a second in every process, and is never accepted again", async (t) => {
  await assertRefusedSoon(t, merchant, "KEY_NOT_FOUND", () =>
    revokeMerchantKey(operator, merchant.clientId, merchant.keyVersion),
  );
});

test("the merchant's newer key stays valid", async () => {
  const moved = { ...merchant, privateKey: pairs[0]!.privateKey, keyVersion: 2 };
  for (const { url } of processes) assert.equal(await ask(url, moved), "ORDER_NOT_EXIST");
});

test("a suspended client is rejected within a second in every process", async (t) => {
  await assertRefusedSoon(t, suspended, "INVALID_CLIENT_STATUS", async () => {
    await changeMerchant(operator, suspended.clientId, { status: "SUSPENDED" });
  });
});

async function assertRefusedSoon(
  t: { diagnostic(text: string): void },
  from: TestMerchant,
  code: string,
  change: () => Promise<void>,
): Promise<void> {
  const traffic = startTraffic(from);
  await traffic.flows();
  await change();
  const changedAtMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, refusedWithinMs + 400));
  await traffic.stop();

  for (const [index, { url }] of processes.entries()) {
    const answers = traffic.answers.filter((answer) => answer.url === url);
    const firstRefusal = answers.findIndex((answer) => answer.code !== "ORDER_NOT_EXIST");
    const lastTakenMs = Math.max(
      ...answers.slice(0, firstRefusal).map(({ sentAtMs }) => sentAtMs - changedAtMs),
    );
    t.diagnostic(`process ${index}: the last was taken ${Math.round(lastTakenMs)} ms after the change`);
    assert.ok(lastTakenMs <= refusedWithinMs);
    assert.deepEqual(new Set(answers.slice(firstRefusal).map((answer) => answer.code)), new Set([code]));
  }
}

interface Traffic {
  /** The responses of each process, in the order in which the requests were sent. */
  readonly answers: { readonly url: string; readonly sentAtMs: number; readonly code: string }[];
  /** Waits until every process has answered a few requests. */
  flows(): Promise<void>;
  stop(): Promise<void>;
}

/** Sends a request to each process every few milliseconds, one after the other. */
function startTraffic(from: TestMerchant): Traffic {
  const answers: Traffic["answers"] = [];
  const stopping = new AbortController();
  const callers = processes.map(async ({ url }) => {
    while (!stopping.signal.aborted) {
      const sentAtMs = performance.now();
      answers.push({ url, sentAtMs, code: await ask(url, from) });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  return {
    answers,
    async flows() {
      while (processes.some((each) => answers.filter(({ url }) => url === each.url).length < 20)) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async stop() {
      stopping.abort();
      await Promise.all(callers);
    },
  };
}

async function ask(url: string, from: TestMerchant): Promise<string> {
  const answer = await call(url, from, { path, body: '{"paymentId":"unknown"}' });
  return answer.json.result["resultCode"] ?? `HTTP ${answer.status}`;
}
