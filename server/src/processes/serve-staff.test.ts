import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, test } from "node:test";
import { newMerchant, prepareTestGateway, send } from "../../test/start/test-gateway.ts";
import {
  requestConsole,
  resultCodeOf,
  consoleVariables,
  personToken,
  portalOrigin,
  staffOrigin,
  staffVariables,
} from "../../test/start/test-console.ts";
import { staffBodyBytesMax } from "../http/people/staff-endpoint.ts";
import { serveStaff } from "./serve-staff.ts";
import { serve } from "./serve.ts";
import { readSettings } from "../settings/settings.ts";
import { staffRoutes } from "../staff-console/staff-routes.ts";

/**
 * These tests check that only `serve-staff` has the login with the role tollgate_console. `serve` has neither the login
 * nor the routes.
 */
const { database, variables } = await prepareTestGateway("sandbox");
const { clientId } = await newMerchant(database);
const serveStaffVariables = { ...variables, ...staffVariables(database), TOLLGATE_METRICS_PORT: "0" };
const staff = await serveStaff(readSettings(serveStaffVariables));
after(() => staff.stop());

const staffToken = (): string => personToken({ role: "staff-admin" });
const askConsoleResult = async (
  request: Parameters<typeof requestConsole>[2],
  path = "staff/merchants",
): Promise<string> => resultCodeOf(await requestConsole(staff.url, path, request));

test("it answers only the paths of staff, health and metrics", async () => {
  assert.equal(await askConsoleResult({ token: staffToken() }), "SUCCESS");
  assert.equal((await fetch(`${staff.url}/livez`)).status, 200);
  assert.equal((await fetch(`${staff.url}/readyz`)).status, 200);
  const metrics = await (await fetch(`${staff.metricsUrl}/metrics`)).text();
  assert.match(metrics, /^tollgate_ready 1$/m);
  const token = personToken({ clientIds: [clientId] });
  for (const path of ["views/payments", "acts/refund"]) {
    const headers = { origin: staffOrigin, "client-id": clientId };
    const answer = await requestConsole(staff.url, path, { token, headers });
    assert.equal(answer.status, 404, path);
  }
  for (const path of ["/ams/sandbox/api/v1/payments/pay", "/checkout/x", "/docs", "/", "/service"]) {
    const { status } = await send(staff.url, { path, body: "{}", method: "POST" });
    assert.equal(status, 404, path);
  }
});

test("it rejects requests without the token of staff, and pages of other origins", async () => {
  assert.equal(await askConsoleResult({ headers: { origin: staffOrigin } }), "TOKEN_INVALID");
  assert.equal(
    await askConsoleResult({ token: "let-me-in", headers: { origin: staffOrigin } }),
    "TOKEN_INVALID",
  );
  const merchant = personToken({ clientIds: [clientId] });
  assert.equal(
    await askConsoleResult({ token: merchant, headers: { origin: staffOrigin } }),
    "ORIGIN_NOT_ALLOWED",
  );
  const otherAudience = personToken({ role: "staff-admin", aud: "live" });
  assert.equal(await askConsoleResult({ token: otherAudience }), "TOKEN_INVALID");
  for (const origin of [undefined, portalOrigin, "null", `${staffOrigin}.evil.example`])
    assert.equal(
      await askConsoleResult({ token: staffToken(), headers: { origin } }),
      "ORIGIN_NOT_ALLOWED",
      origin,
    );
});

test("the hint of a rejected origin names the setting of this process; that of a merchant's token names the portal", async () => {
  const hint = async (origin: string, token: string): Promise<string> => {
    const { json } = await requestConsole(staff.url, "staff/merchants", { token, headers: { origin } });
    return json.result["resultHint"] ?? "";
  };
  assert.match(await hint(portalOrigin, staffToken()), /TOLLGATE_STAFF_ORIGINS/);
  assert.doesNotMatch(await hint(portalOrigin, staffToken()), /TOLLGATE_CONSOLE_ORIGINS/);
  assert.equal(
    await hint(staffOrigin, personToken({ clientIds: [clientId] })),
    "Use the pages of the portal instead.",
  );
});

/**
 * Sends headers that announce a body, but no byte of the body. A response shows that the process did not wait for the
 * body.
 */
function requestWithoutBody(authorization: string | undefined): Promise<string> {
  const { hostname, port } = new URL(staff.url);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        hostname,
        port,
        method: "POST",
        path: "/console/staff/merchants",
        headers: {
          origin: staffOrigin,
          "content-type": "application/json",
          "content-length": "100",
          ...(authorization !== undefined && { authorization }),
        },
      },
      (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        incoming.on("end", () => {
          outgoing.destroy();
          resolve((JSON.parse(text) as { result: { resultCode: string } }).result.resultCode);
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.flushHeaders();
  });
}

test("a request without a valid token of staff is rejected before its body is read", async () => {
  assert.equal(await requestWithoutBody(undefined), "TOKEN_INVALID");
  assert.equal(await requestWithoutBody("Bearer let-me-in"), "TOKEN_INVALID");
  const merchant = personToken({ clientIds: [clientId] });
  assert.equal(await requestWithoutBody(`Bearer ${merchant}`), "ORIGIN_NOT_ALLOWED");
});

test("a body above the limit is rejected, and one below it is read", async () => {
  const body = (bytes: number): string => `{"part":"${"x".repeat(bytes)}"}`;
  const oversize = await requestConsole(staff.url, "staff/merchants", {
    token: staffToken(),
    body: body(staffBodyBytesMax),
  });
  assert.equal(resultCodeOf(oversize), "PARAM_ILLEGAL");
  assert.match(oversize.json.result["resultMessage"] ?? "", new RegExp(String(staffBodyBytesMax)));
  assert.equal(await askConsoleResult({ token: staffToken(), body: body(10) }), "SUCCESS");
});

test("`serve` has no path of staff, with or without a console", async () => {
  for (const [headers, status] of [
    [consoleVariables, 200],
    [{}, 404],
  ] as const) {
    const serving = await serve(readSettings({ ...variables, ...headers }));
    after(() => serving.stop());
    for (const { name } of staffRoutes) {
      const answer = await requestConsole(serving.url, `staff/${name}`, { token: staffToken() });
      assert.equal(answer.status, status, name);
      if (status === 200) assert.equal(resultCodeOf(answer), "NO_INTERFACE_DEF", name);
    }
  }
});

test("it does not start without origins, keys of accounts or its login, nor with the owner's login", async () => {
  for (const name of ["TOLLGATE_STAFF_ORIGINS", "TOLLGATE_ACCOUNTS_KEYS_FILE", "TOLLGATE_STAFF_DATABASE_URL"])
    await assert.rejects(serveStaff(readSettings({ ...serveStaffVariables, [name]: "" })), new RegExp(name));
  const owners = { ...serveStaffVariables, TOLLGATE_STAFF_DATABASE_URL: database.ownerUrl };
  await assert.rejects(serveStaff(readSettings(owners)), /owner's login/);
});

test("in live `serve` rejects the settings of `serve-staff`, and names the command to run", async () => {
  const live = await prepareTestGateway("live");
  const settings = staffVariables(live.database);
  for (const name of ["TOLLGATE_STAFF_ORIGINS", "TOLLGATE_STAFF_DATABASE_URL"]) {
    const more = { ...consoleVariables, [name]: settings[name] ?? "" };
    await assert.rejects(serve(readSettings({ ...live.variables, ...more })), /run `tollgate serve-staff`/);
  }
  const insecure = { ...live.variables, ...settings, TOLLGATE_STAFF_ORIGINS: "http://operators.example" };
  await assert.rejects(
    serveStaff(readSettings(insecure)),
    /TOLLGATE_STAFF_ORIGINS has an origin without TLS/,
  );
});
