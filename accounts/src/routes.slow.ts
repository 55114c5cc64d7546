import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Check } from "typebox/value";
import {
  personKindOf,
  merchantRoles,
  permissions,
  staffRoles,
  type Role,
} from "../../server/src/people/role.ts";
import { givenMember, startTestAccounts, type GivenMember } from "../test/test-accounts.ts";
import type { TestBrowser } from "../test/test-browser.ts";
import type { Route } from "./api/route.ts";
import type { Site } from "./people/site.ts";
import { routes } from "./routes.ts";

const accounts = await startTestAccounts();

/** Age of the caller's re-authentication: none, too old, and recent. */
const stepUps = { never: undefined, "six minutes ago": 360_000, "a minute ago": 60_000 } as const;
type StepUp = keyof typeof stepUps;

/**
 * A body that every route rejects after admission, because no route declares its field. So a test request never has an
 * effect.
 */
const nonsense = { nonsense: true };

async function sendNonsense(browser: TestBrowser, { method, path }: Route): Promise<unknown> {
  const { status, json } = await (method === "GET" ? browser.get(path) : browser.post(path, nonsense));
  return status === 200 ? "admitted" : json["refusal"];
}

/** `admittedResponse` returns the response of a route that admits the caller. */
function admittedResponse({ method, request }: Route): string {
  return method === "GET" && Check(request, {}) ? "admitted" : "INVALID_REQUEST";
}

/** The routes that only one site serves, listed here by hand and not derived from the routes. */
const singleSiteRoutes: Readonly<Record<string, Site>> = {
  "/accounts/register": "portal",
  "/accounts/verify-email": "portal",
  "/accounts/password/begin": "portal",
  "/accounts/password/confirm": "portal",
  "/accounts/sign-in/password": "portal",
  "/accounts/step-up/password": "portal",
  "/accounts/clients/sandbox": "portal",
  "/accounts/clients/live": "portal",
  "/accounts/audit": "portal",
  "/accounts/audit/all": "operator",
  "/accounts/merchants": "operator",
  "/accounts/merchants/review": "operator",
  "/accounts/merchants/document": "operator",
  "/accounts/merchants/approve": "operator",
  "/accounts/merchants/refuse": "operator",
  "/accounts/recoveries/operator": "operator",
  "/accounts/recoveries/operator/confirm": "operator",
  "POST /accounts/announcement": "operator",
  "/accounts/announcement/end": "operator",
};

function isServed({ method, path }: Route, site: Site): boolean {
  return (singleSiteRoutes[path] ?? singleSiteRoutes[`${method} ${path}`] ?? site) === site;
}

/** `expectedResponse` computes the expected response from the route's declaration, independent of the router. */
function expectedResponse(route: Route, role: Role, at: StepUp): string {
  const { access, stepUp, environment } = route;
  if (!isServed(route, siteOf(role))) return "NOT_FOUND";
  const admitted = admittedResponse(route);
  if (access === "anyone" || access === "member") return admitted;
  if (access !== "newcomer" && access !== "person") {
    const granted: readonly Role[] = permissions[access][environment];
    if (!granted.includes(role)) return "NOT_ALLOWED";
  }
  return stepUp && at !== "a minute ago" ? "STEP_UP_NEEDED" : admitted;
}

function siteOf(role: Role): Site {
  return personKindOf(role) === "staff" ? "operator" : "portal";
}

describe("every route, for every role, by the age of the re-authentication", () => {
  for (const role of [...merchantRoles, ...staffRoles])
    for (const at of Object.keys(stepUps) as StepUp[])
      test(`${role}, stepped up ${at}`, async () => {
        const steppedUpAgoMs = stepUps[at];
        const memberOptions = {
          role,
          ...(steppedUpAgoMs !== undefined && { steppedUpAgoMs }),
        } satisfies GivenMember;
        const { browser } = await givenMember(accounts, memberOptions);
        for (const route of routes)
          assert.equal(
            await sendNonsense(browser, route),
            expectedResponse(route, role, at),
            `${route.method} ${route.path}`,
          );
      });
});

test("without a session, each site serves only its public routes", async () => {
  for (const site of ["portal", "operator"] as const) {
    const browser = accounts.browser(site);
    for (const route of routes.filter((each) => isServed(each, site))) {
      const open = admittedResponse(route);
      assert.equal(
        await sendNonsense(browser, route),
        route.access === "anyone" ? open : "NOT_SIGNED_IN",
        route.path,
      );
    }
  }
});

test("a session of the portal is invalid at the console and vice versa, in any cookie", async () => {
  for (const [role, elsewhere] of [
    ["owner", "operator"],
    ["staff-admin", "portal"],
  ] as const) {
    const { browser } = await givenMember(accounts, { role, steppedUpAgoMs: 0 });
    assert.equal((await browser.get("/accounts/me")).status, 200);
    const other = accounts.browser(elsewhere);
    other.useToken(browser.token());
    assert.equal((await other.get("/accounts/me")).json["refusal"], "NOT_SIGNED_IN", role);
  }
});

test("a person who is both merchant and staff acts as only one of them at each site", async () => {
  const staff = await givenMember(accounts, { role: "staff-admin", steppedUpAgoMs: 0 });
  const merchant = await givenMember(accounts, { role: "owner" });
  await accounts.sql(
    "insert into memberships (organisation_id, person_id, role, since) values ($1, $2, 'owner', now())",
    [merchant.organisationId, staff.personId],
  );
  const { json } = await staff.browser.get("/accounts/me");
  assert.deepEqual(
    (json["organisations"] as { kind: string }[]).map(({ kind }) => kind),
    ["staff"],
  );
  const chosen = { organisationId: merchant.organisationId };
  assert.equal(
    (await staff.browser.post("/accounts/organisations/choose", chosen)).json["refusal"],
    "NOT_FOUND",
  );
});

test("a session by link or recovery can only set up a sign-in method", async () => {
  const open = new Set<string>(["anyone", "newcomer"]);
  for (const method of ["link", "recovery"] as const) {
    const { browser } = await givenMember(accounts, { role: "owner", method });
    for (const route of routes.filter((each) => isServed(each, "portal"))) {
      const expectedHere = open.has(route.access) ? admittedResponse(route) : "SET_UP_FIRST";
      assert.equal(await sendNonsense(browser, route), expectedHere, `${method} ${route.path}`);
    }
  }
});

test("staff who signed in with a password cannot act for an organisation", async () => {
  const memberOptions = { role: "staff-admin", method: "password", steppedUpAgoMs: 0 } as const;
  const { browser } = await givenMember(accounts, memberOptions);
  const memberRoutes = routes.filter(({ access }) => !["anyone", "newcomer", "person"].includes(access));
  for (const route of memberRoutes.filter((each) => isServed(each, "operator")))
    assert.equal(await sendNonsense(browser, route), "PASSKEY_NEEDED", route.path);
});

test("the most sensitive routes have the expected permissions", () => {
  const sensitiveRoutes = routes
    .filter(({ stepUp }) => stepUp)
    .map(({ path, access }) => `${path} ${access}`)
    .sort();
  assert.deepEqual(sensitiveRoutes, [
    "/accounts/clients/live clients.open",
    "/accounts/clients/sandbox clients.open",
    "/accounts/invitations people.invite",
    "/accounts/invitations/revoke people.invite",
    "/accounts/merchants/approve merchants.review",
    "/accounts/merchants/document merchants.review",
    "/accounts/merchants/refuse merchants.review",
    "/accounts/passkeys/add newcomer",
    "/accounts/passkeys/begin newcomer",
    "/accounts/passkeys/remove person",
    "/accounts/password/begin newcomer",
    "/accounts/password/confirm newcomer",
    "/accounts/people/change-role people.change",
    "/accounts/people/end people.change",
    "/accounts/recoveries people.change",
    "/accounts/recoveries/confirm people.change",
    "/accounts/recoveries/operator people.recover",
    "/accounts/recoveries/operator/confirm people.recover",
    "/accounts/review/submit live.ask",
    "/accounts/review/withdraw live.ask",
  ]);
});

test("a request without our Origin header is rejected first (CSRF)", async () => {
  const { browser } = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const origins = [
    "",
    "null",
    "https://evil.example",
    "http://localhost",
    accounts.url.replace("http:", "https:"),
  ];
  for (const route of routes.filter(({ method }) => method === "POST")) {
    for (const origin of origins) {
      const { status, json } = await browser.post(route.path, nonsense, { origin });
      assert.deepEqual([status, json["refusal"]], [403, "FOREIGN_ORIGIN"], `${route.path} from ${origin}`);
    }
    const crossSite = await browser.post(route.path, nonsense, { "sec-fetch-site": "cross-site" });
    assert.equal(crossSite.json["refusal"], "FOREIGN_ORIGIN", route.path);
  }
  const withoutHeaders = await fetch(`${accounts.url}/accounts/sign-out`, { method: "POST", body: "{}" });
  assert.equal(withoutHeaders.status, 403);
});

test("a form or a wrong content type is rejected (CSRF)", async () => {
  const { browser } = await givenMember(accounts, { role: "owner" });
  for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]) {
    const { status } = await browser.post("/accounts/sign-out", "{}", { "content-type": type });
    assert.equal(status, 415, type);
  }
  assert.equal((await browser.get("/accounts/me")).status, 200);
  for (const body of ["", "{", '{"a":1,"a":2}', "[]", "null"])
    assert.equal((await browser.post("/accounts/sign-out", body)).status, 400, body);
});

test("every response has headers against caching, framing and cross-origin reads", async () => {
  for (const { headers } of [
    await accounts.browser().get("/accounts/me"),
    await accounts.browser().get("/nowhere"),
  ]) {
    assert.equal(headers.get("cache-control"), "no-store");
    assert.match(headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("permissions-policy") ?? "", /publickey-credentials-get=\(self\)/);
  }
});
