import assert from "node:assert/strict";
import { test } from "node:test";
import { asSuperuser } from "../start/test-database.ts";
import { call, pathOf } from "../start/test-gateway.ts";
import { startTestStack } from "../start/test-stack.ts";
import { crashRequests, type PreparedRequest } from "./crash-requests.ts";
import { callUntilCrashed, requestCrashPoints } from "./crash-victim.ts";

/**
 * Crash tests for operations other than payments that move or reserve money. crash-points.slow.ts does the same for
 * payments.
 */
const stack = await startTestStack();
const { merchant } = stack;
const healthy = await stack.serve({ isPublic: true });
const requestCases = crashRequests(stack, () => healthy.url);

const crashedRequests = new Map<string, PreparedRequest>();

for (const crashAt of requestCrashPoints) {
  test(`killed ${crashAt}, during operations other than payments`, async () => {
    for (const [caseName, { prepare }] of Object.entries(requestCases))
      crashedRequests.set(`${caseName} ${crashAt}`, await prepare(crashAt));
    const victims = await Promise.all(
      Object.keys(requestCases).map(async (caseName) => ({
        doing: caseName,
        served: await stack.serve({ crashAt }),
      })),
    );
    // The healthy process is stopped. Otherwise it would receive the provider's callback, and settle before the
    // crashing processes can.
    healthy.process.kill("SIGSTOP");
    await Promise.all(
      victims.map(async ({ doing: caseName, served }) => {
        const { path, body } =
          crashedRequests.get(`${caseName} ${crashAt}`) ?? assert.fail("The request was never sent.");
        const sent = { path: pathOf("sandbox", path), body: JSON.stringify(body) };
        await callUntilCrashed(served, (url) => call(url, merchant, sent));
      }),
    ).finally(() => healthy.process.kill("SIGCONT"));
    await extendExpiry();
  });
}

/**
 * The test extends the expiry of payments by token, which is one minute. No process takes over before the last crashing
 * process is dead, and on a slow machine this can take longer. So the test proves the crash handling and not the
 * expiry.
 */
async function extendExpiry(): Promise<void> {
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

for (const crashAt of requestCrashPoints) {
  for (const [caseName, { check }] of Object.entries(requestCases)) {
    test(`after a crash while ${caseName}, ${crashAt}: one effect, and repeats get the same response`, async () => {
      await check(
        crashedRequests.get(`${caseName} ${crashAt}`) ?? assert.fail("The request was never sent."),
      );
    });
  }
}
