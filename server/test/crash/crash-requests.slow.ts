import assert from "node:assert/strict";
import { test } from "node:test";
import { asSuperuser } from "../start/test-database.ts";
import { call, pathOf } from "../start/test-gateway.ts";
import { startTestStack } from "../start/test-stack.ts";
import { crashCalls, type CallAsked } from "./crash-requests.ts";
import { callUntilCrashed, crashPointsOfRequest } from "./crash-victim.ts";

/**
 * Crash tests for operations other than payments that move or reserve money. crash-points.slow.ts does the same for
 * payments.
 */
const stack = await startTestStack();
const { merchant } = stack;
const healthy = await stack.serve({ isPublic: true });
const otherCalls = crashCalls(stack, () => healthy.url);

const othersDied = new Map<string, CallAsked>();

for (const crashAt of crashPointsOfRequest) {
  test(`killed ${crashAt}, during operations other than payments`, async () => {
    for (const [doing, { prepare }] of Object.entries(otherCalls))
      othersDied.set(`${doing} ${crashAt}`, await prepare(crashAt));
    const victim = await Promise.all(
      Object.keys(otherCalls).map(async (doing) => ({ doing, served: await stack.serve({ crashAt }) })),
    );
    // The healthy process is stopped. Otherwise it would receive the provider's callback, and settle before the
    // crashing processes can.
    healthy.process.kill("SIGSTOP");
    await Promise.all(
      victim.map(async ({ doing, served }) => {
        const { path, body } =
          othersDied.get(`${doing} ${crashAt}`) ?? assert.fail("The request was never sent.");
        const sent = { path: pathOf("sandbox", path), body: JSON.stringify(body) };
        await callUntilCrashed(served, (url) => call(url, merchant, sent));
      }),
    ).finally(() => healthy.process.kill("SIGCONT"));
    await outliveTheTest();
  });
}

/**
 * The test extends the expiry of payments by token, which is one minute. No process takes over before the last crashing
 * process is dead, and on a slow machine this can take longer. So the test proves the crash handling and not the
 * expiry.
 */
async function outliveTheTest(): Promise<void> {
  await asSuperuser(
    `update payments set expires_at = now() + interval '1 hour'
     where status = 'PROCESSING' and product_code = 'AGREEMENT_PAYMENT'`,
    [],
    stack.database.superuserUrl,
  );
}

test("a worker takes over the jobs that they left", async () => {
  await stack.work();
});

for (const crashAt of crashPointsOfRequest) {
  for (const [doing, { check }] of Object.entries(otherCalls)) {
    test(`after a crash while ${doing}, ${crashAt}: one effect, and repeats get the same response`, async () => {
      await check(othersDied.get(`${doing} ${crashAt}`) ?? assert.fail("The request was never sent."));
    });
  }
}
