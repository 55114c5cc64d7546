import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newMerchant, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import {
  requestConsole,
  resultCodeOf,
  consoleVariables,
  personToken,
  portalOrigin,
} from "../../../test/start/test-console.ts";
import { acts } from "../../catalog/acts.ts";
import { views } from "../../catalog/views.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { personKindOf, merchantRoles, staffRoles, type Role } from "../../people/role.ts";
import type { Environment } from "../../postgres/migrate.ts";

/** The roles that may use a route. The table of all routes is written by hand, to check the table of permissions. */
interface Expected {
  readonly sandbox: readonly Role[];
  /** Roles in live; the same as in the sandbox if absent. */
  readonly live?: readonly Role[];
  readonly stepUp?: true;
}

const allRoles = merchantRoles;
const financeRoles: readonly Role[] = ["owner", "admin", "developer", "finance"];
/** Roles that may change the merchant's addresses, keys and names. */
const settingsRoles: Expected = {
  sandbox: ["owner", "admin", "developer"],
  live: ["owner", "admin"],
  stepUp: true,
};
const notificationReaders: Expected = {
  sandbox: ["owner", "admin", "developer", "support", "reader"],
};
/** Acts that exist only in the sandbox. */
const sandboxOnlyRoles: Expected = { sandbox: ["owner", "admin", "developer"], live: [] };
const callsReaders: Expected = {
  sandbox: ["owner", "admin", "developer", "support"],
};
const expected: Readonly<Record<string, Expected>> = {
  "views/payments": { sandbox: allRoles },
  "views/payment": { sandbox: allRoles },
  "views/paymentOptions": { sandbox: allRoles },
  "views/charts": { sandbox: allRoles },
  "views/refunds": { sandbox: allRoles },
  "views/captures": { sandbox: allRoles },
  "views/disputes": { sandbox: allRoles },
  "views/unansweredDisputes": { sandbox: allRoles },
  "views/dispute": { sandbox: allRoles },
  "views/disputeDocument": { sandbox: [...financeRoles, "support"] },
  "views/notifications": notificationReaders,
  "views/notification": notificationReaders,
  "views/endpoints": notificationReaders,
  "views/calls": callsReaders,
  "views/recentCalls": callsReaders,
  "views/recentCall": callsReaders,
  "views/stores": { sandbox: allRoles },
  "views/brand": { sandbox: allRoles },
  "views/authorizations": { sandbox: allRoles },
  "views/clock": callsReaders,
  "views/keys": {
    sandbox: ["owner", "admin", "developer", "reader"],
  },
  "views/balance": { sandbox: [...financeRoles, "reader"] },
  "views/movements": { sandbox: [...financeRoles, "reader"] },
  "views/settlements": { sandbox: [...financeRoles, "reader"] },
  "views/settlement": { sandbox: [...financeRoles, "reader"] },
  "views/report": { sandbox: [...financeRoles, "reader"] },
  "views/statement": { sandbox: [...financeRoles, "reader"] },
  "views/statementFile": { sandbox: [...financeRoles, "reader"] },
  "views/audit": { sandbox: ["owner", "admin"] },
  "acts/refund": { sandbox: financeRoles, live: ["owner", "admin", "finance"], stepUp: true },
  "acts/cancel": { sandbox: ["owner", "admin", "developer", "support"], live: ["owner", "admin", "support"] },
  "acts/capture": { sandbox: financeRoles, live: ["owner", "admin", "finance"], stepUp: true },
  "acts/acceptDispute": { sandbox: financeRoles, live: ["owner", "admin", "finance"], stepUp: true },
  "acts/supplyDefenseDocument": { sandbox: ["owner", "admin", "developer", "finance", "support"] },
  "acts/resendNotifications": { sandbox: ["owner", "admin", "developer", "support"] },
  "acts/changeEndpoints": settingsRoles,
  "acts/changeBrand": settingsRoles,
  "acts/advanceClock": sandboxOnlyRoles,
  "acts/orderFault": sandboxOnlyRoles,
  "acts/sendTestNotification": sandboxOnlyRoles,
  "acts/openClient": settingsRoles,
  "acts/addKey": settingsRoles,
  "acts/revokeKey": settingsRoles,
};

const bodies: Readonly<Record<string, object>> = Object.fromEntries([
  ...views.map(({ name, example }) => [`views/${name}`, example.request]),
  ...acts.map(({ name, operation }) => [`acts/${name}`, { request: operation.example.request }]),
]);

/** Seconds since the re-authentication, and whether a route that requires re-authentication accepts this age. */
const stepUps: readonly (readonly [age: number | undefined, isFresh: boolean])[] = [
  [undefined, false],
  [0, true],
  [290, true],
  [310, false],
];

const outcomeFor = [
  "RIGHT_MISSING",
  "STEP_UP_REQUIRED",
  "TOKEN_INVALID",
  "TOKEN_USED",
  "UNKNOWN_CLIENT",
  "UNKNOWN_EXCEPTION",
];

async function start(environment: Environment): Promise<{ readonly url: string; readonly clientId: string }> {
  const { database, variables } = await prepareTestGateway(environment);
  const { clientId } = await newMerchant(database);
  const serving = await serve(readSettings({ ...variables, ...consoleVariables }));
  after(() => serving.stop());
  return { url: serving.url, clientId };
}

const gateways = { sandbox: await start("sandbox"), live: await start("live") };

test("the table contains every route", () => {
  assert.deepEqual(Object.keys(expected), Object.keys(bodies));
});

for (const environment of ["sandbox", "live"] as const) {
  const { url, clientId } = gateways[environment];

  for (const [path, { sandbox, live = sandbox, stepUp }] of Object.entries(expected)) {
    const allowed = environment === "sandbox" ? sandbox : live;

    test(`${environment}: ${path} is for ${allowed.join(", ")}${stepUp ? ", freshly proved" : ""}`, async () => {
      for (const role of [...merchantRoles, ...staffRoles]) {
        for (const [age, isFresh] of stepUps) {
          const now = Math.floor(Date.now() / 1000);
          const since = age === undefined ? { stepUpAt: undefined } : { stepUpAt: now - age };
          const token = personToken({ aud: environment, role, clientIds: [clientId], ...since });
          const headers = { "client-id": clientId, origin: portalOrigin };
          const code = resultCodeOf(
            await requestConsole(url, path, { token, body: bodies[path] ?? {}, headers }),
          );
          const who = `${role}, ${age ?? "no"} seconds after a step-up`;
          if (personKindOf(role) === "staff") assert.equal(code, "ORIGIN_NOT_ALLOWED", who);
          else if (!allowed.includes(role)) assert.equal(code, "RIGHT_MISSING", who);
          else if (stepUp && !isFresh) assert.equal(code, "STEP_UP_REQUIRED", who);
          else assert.ok(code !== "" && !outcomeFor.includes(code), `${who}: ${code}`);
        }
      }
    });
  }
}
