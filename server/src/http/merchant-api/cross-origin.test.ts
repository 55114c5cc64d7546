import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  call,
  inquiryPath,
  newMerchant,
  pathOf,
  prepareTestGateway,
  send,
  type ReceivedAnswer,
} from "../../../test/start/test-gateway.ts";
import { consoleVariables, portalOrigin } from "../../../test/start/test-console.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import type { Environment } from "../../postgres/migrate.ts";

async function start(environment: Environment) {
  const { database, variables } = await prepareTestGateway(environment);
  const merchant = await newMerchant(database);
  const { url, stop } = await serve(readSettings({ ...variables, ...consoleVariables }));
  after(stop);
  return { url, merchant, path: pathOf(environment, inquiryPath) };
}

const sandbox = await start("sandbox");
const live = await start("live");

function allowedIn({ headers }: ReceivedAnswer): readonly string[] {
  return Object.keys(headers).filter((name) => name.startsWith("access-control-"));
}

const preflight = (to: typeof sandbox, origin: string): Promise<ReceivedAnswer> =>
  send(to.url, { method: "OPTIONS", path: to.path, body: "", headers: { origin } });

const body = '{"paymentRequestId":"nobody"}';

test("in the sandbox a page of the portal may call an operation and read the signed response (CORS)", async () => {
  const asked = await preflight(sandbox, portalOrigin);
  assert.equal(asked.status, 204);
  assert.equal(asked.headers["access-control-allow-origin"], portalOrigin);
  assert.match(asked.headers["access-control-allow-headers"] ?? "", /signature/);
  const headers = { origin: portalOrigin };
  const answer = await call(sandbox.url, sandbox.merchant, { path: sandbox.path, body, headers });
  assert.equal(answer.json.result["resultCode"], "ORDER_NOT_EXIST");
  assert.equal(answer.headers["access-control-allow-origin"], portalOrigin);
  assert.match(answer.headers["access-control-expose-headers"] ?? "", /signature/);
});

test("a page of another origin may not, and merchants' systems get no CORS headers", async () => {
  const asked = await preflight(sandbox, "https://elsewhere.example");
  assert.equal(asked.json.result["resultCode"], "METHOD_NOT_SUPPORTED");
  assert.deepEqual(allowedIn(asked), []);
  const answer = await call(sandbox.url, sandbox.merchant, { path: sandbox.path, body });
  assert.deepEqual(allowedIn(answer), []);
});

test("in live no page may call operations", async () => {
  const asked = await preflight(live, portalOrigin);
  assert.equal(asked.json.result["resultCode"], "METHOD_NOT_SUPPORTED");
  const headers = { origin: portalOrigin };
  const answer = await call(live.url, live.merchant, { path: live.path, body, headers });
  assert.deepEqual(allowedIn(answer), []);
});
