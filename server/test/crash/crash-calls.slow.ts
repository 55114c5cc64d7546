import assert from "node:assert/strict";
import { test } from "node:test";
import { asSuperuser } from "../start/test-database.ts";
import { call, pathOf } from "../start/test-gateway.ts";
import { startTestStack } from "../start/test-stack.ts";
import { crashCalls, type CallAsked } from "./crash-calls.ts";
import { callDoomed, claimToAnswer } from "./doomed.ts";

/** The same as crash-points.slow.ts does with payments, for whatever else moves money, or promises to. */
const stack = await startTestStack();
const { merchant } = stack;
const healthy = await stack.serve({ isPublic: true });
const otherCalls = crashCalls(stack, () => healthy.url);

const othersDied = new Map<string, CallAsked>();

for (const crashAt of claimToAnswer) {
  test(`killed ${crashAt}, whatever else than payments it was doing`, async () => {
    for (const [doing, { prepare }] of Object.entries(otherCalls))
      othersDied.set(`${doing} ${crashAt}`, await prepare(crashAt));
    const doomed = await Promise.all(
      Object.keys(otherCalls).map(async (doing) => ({ doing, served: await stack.serve({ crashAt }) })),
    );
    // Otherwise it hears from the wallet, and settles before the doomed ones can.
    healthy.process.kill("SIGSTOP");
    await Promise.all(
      doomed.map(async ({ doing, served }) => {
        const { path, body } =
          othersDied.get(`${doing} ${crashAt}`) ?? assert.fail("It was never asked for.");
        const sent = { path: pathOf("sandbox", path), body: JSON.stringify(body) };
        await callDoomed(served, (url) => call(url, merchant, sent));
      }),
    ).finally(() => healthy.process.kill("SIGCONT"));
    await outliveTheTest();
  });
}

/**
 * A payment by token can be paid for a minute, and here nobody takes over before the last process is dead: on a slow
 * machine that is later than any supervisor would be. So that it is the crash that is proven and not the expiry, what
 * was left behind may be paid for as long as it takes.
 */
async function outliveTheTest(): Promise<void> {
  await asSuperuser(
    `update payments set expires_at = now() + interval '1 hour'
     where status = 'PROCESSING' and product_code = 'AGREEMENT_PAYMENT'`,
    [],
    stack.database.superuserUrl,
  );
}

test("a worker takes over what they left behind", async () => {
  await stack.work();
});

for (const crashAt of claimToAnswer) {
  for (const [doing, { check }] of Object.entries(otherCalls)) {
    test(`after a crash while ${doing}, ${crashAt}: done once, and told the same`, async () => {
      await check(othersDied.get(`${doing} ${crashAt}`) ?? assert.fail("It was never asked for."));
    });
  }
}
