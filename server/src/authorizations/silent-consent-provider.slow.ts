import assert from "node:assert/strict";
import { test } from "node:test";
import {
  startScriptedStack,
  startScriptedProvider,
  failureResponse,
} from "../../test/start/scripted-provider.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { call, pathOf, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";

const stack = await startScriptedStack();
const { merchant, database } = stack;
// A provider that responds to `authorize` with a failure that is not final, and resets all other connections.
const provider = await startScriptedProvider("away", ({ verb }) =>
  verb === "authorize" ? failureResponse("PARAM_ILLEGAL") : "reset",
);
await stack.connect(provider);
const { url } = await stack.serve();
await stack.work();

function ask(path: string, body: object): Promise<ReceivedAnswer> {
  return call(url, merchant, { path: pathOf("sandbox", path), body: JSON.stringify(body) });
}

/** Moves the times in the database back, as if this number of minutes had passed. */
async function letPass(minutes: number): Promise<void> {
  const run = (sql: string): Promise<unknown> => asSuperuser(sql, [minutes], database.superuserUrl);
  await run("update authorizations set expires_at = expires_at - make_interval(mins => $1)");
  await run("update tokens set created_at = created_at - make_interval(mins => $1)");
  await run(
    "update jobs set due_at = least(due_at, clock_timestamp()) where follows_merchant_clock and $1 > 0",
  );
}

async function openJobs(): Promise<readonly object[]> {
  return asSuperuser("select job from jobs where job <> 'turn-clock'", [], database.superuserUrl);
}

const codeOf = ({ json }: ReceivedAnswer): string | undefined => json.result["resultCode"];

test("a consent and a code expire on time even if the provider never responds", async () => {
  const consult = {
    customerBelongsTo: "GCASH",
    authRedirectUrl: "https://shop.example/linked",
    scopes: ["AGREEMENT_PAY"],
    authState: "link-1",
    env: { terminalType: "WEB" },
  };
  const apply = { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode: "a-code" };
  assert.equal(codeOf(await ask("authorizations/consult", consult)), "UNKNOWN_EXCEPTION");
  assert.equal(codeOf(await ask("authorizations/applyToken", apply)), "AUTH_IN_PROCESS");
  assert.equal((await openJobs()).length, 2);

  await letPass(11);
  await becomes("AUTH_CODE_EXPIRED", () => ask("authorizations/applyToken", apply));
  assert.equal(codeOf(await ask("authorizations/consult", consult)), "UNKNOWN_EXCEPTION");
  await letPass(20);
  await becomes("AUTH_EXPIRED", () => ask("authorizations/consult", consult));
  // The job retries the revoke for one hour, and then stops.
  assert.deepEqual(await openJobs(), [{ job: "follow-authorization" }]);
  await letPass(60);
  await eventually(10_000, openJobs, (jobs) => jobs.length === 0);
});

async function becomes(code: string, asking: () => Promise<ReceivedAnswer>): Promise<void> {
  await eventually(10_000, asking, (answer) => codeOf(answer) === code);
}
