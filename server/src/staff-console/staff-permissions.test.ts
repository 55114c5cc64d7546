import assert from "node:assert/strict";
import { after, test } from "node:test";
import { prepareTestGateway } from "../../test/start/test-gateway.ts";
import {
  requestConsole,
  resultCodeOf,
  personToken,
  portalOrigin,
  staffOrigin,
  staffVariables,
} from "../../test/start/test-console.ts";
import { personKindOf, merchantRoles, staffRoles, type StaffRole } from "../people/role.ts";
import type { Environment } from "../postgres/migrate.ts";
import { serveStaff } from "../processes/serve-staff.ts";
import { readSettings } from "../settings/settings.ts";
import { staffRoutes } from "./staff-routes.ts";

/** Every console route with its permitted roles, written by hand, to check the permission table. */
interface Expected {
  readonly roles: readonly StaffRole[];
  readonly stepUp?: true;
}

const allStaff: Expected = { roles: staffRoles };
const operators: Expected = { roles: ["staff-admin", "staff-operator"] };
const caretakersReauthenticated: Expected = { ...operators, stepUp: true };
const financeReauthenticated: Expected = { roles: ["staff-admin", "staff-finance"], stepUp: true };
const expected: Readonly<Record<string, Expected>> = {
  openRecords: allStaff,
  deliveryQueues: allStaff,
  payment: allStaff,
  merchants: allStaff,
  merchant: allStaff,
  connectors: allStaff,
  gatewayKeys: allStaff,
  payouts: { roles: ["staff-admin", "staff-finance"] },
  breaks: { roles: ["staff-admin", "staff-operator", "staff-finance"] },
  audit: operators,
  retry: operators,
  hold: operators,
  release: operators,
  resend: operators,
  setMerchant: caretakersReauthenticated,
  suspendMerchant: caretakersReauthenticated,
  resumeMerchant: caretakersReauthenticated,
  moveMerchantKey: caretakersReauthenticated,
  testConnector: caretakersReauthenticated,
  disableConnector: caretakersReauthenticated,
  enableConnector: caretakersReauthenticated,
  moveConnectorKey: caretakersReauthenticated,
  setProviderAccount: caretakersReauthenticated,
  removeProviderAccount: caretakersReauthenticated,
  closeBreak: financeReauthenticated,
  reopenBreak: financeReauthenticated,
  assignBreak: financeReauthenticated,
  writeOffBreak: financeReauthenticated,
};

/** Seconds since the last re-authentication, and whether a route that requires re-authentication accepts this age. */
const stepUps: readonly (readonly [age: number | undefined, isFresh: boolean])[] = [
  [undefined, false],
  [5, true],
  [310, false],
];

async function startStaffServer(environment: Environment): Promise<string> {
  const { database, variables } = await prepareTestGateway(environment);
  const serving = await serveStaff(readSettings({ ...variables, ...staffVariables(database) }));
  after(() => serving.stop());
  return serving.url;
}

const urls = { sandbox: await startStaffServer("sandbox"), live: await startStaffServer("live") };

test("the table has every route", () => {
  assert.deepEqual(
    Object.keys(expected),
    staffRoutes.map(({ name }) => name),
  );
});

/** An invalid body for every route, so a request has no effect after admission. */
const invalidBody = "[]";

for (const environment of ["sandbox", "live"] as const)
  for (const [name, { roles, stepUp }] of Object.entries(expected))
    test(`${environment}: ${name} is for ${roles.join(", ")}${stepUp ? ", with re-authentication" : ""}`, async () => {
      const now = Math.floor(Date.now() / 1000);
      for (const role of [...merchantRoles, ...staffRoles])
        for (const [age, isFresh] of stepUps) {
          const since = { stepUpAt: age === undefined ? undefined : now - age };
          const token = personToken({ aud: environment, role, ...since });
          const code = resultCodeOf(
            await requestConsole(urls[environment], `staff/${name}`, {
              token,
              body: invalidBody,
              headers: { origin: staffOrigin },
            }),
          );
          const failureMessage = `${role}, ${age ?? "no"} seconds after a step-up: ${code}`;
          if (personKindOf(role) === "merchant") assert.equal(code, "ORIGIN_NOT_ALLOWED", failureMessage);
          else if (!roles.some((each) => each === role)) assert.equal(code, "RIGHT_MISSING", failureMessage);
          else if (stepUp && !isFresh) assert.equal(code, "STEP_UP_REQUIRED", failureMessage);
          else assert.equal(code, "PARAM_ILLEGAL", failureMessage);
        }
    });

test("staff requests are accepted only from the console's origin, and other people's are not", async () => {
  const ask = async (role: "owner" | "staff-admin", origin: string): Promise<string> =>
    resultCodeOf(
      await requestConsole(urls.sandbox, "staff/merchants", {
        token: personToken({ role }),
        headers: { origin },
      }),
    );
  assert.equal(await ask("staff-admin", staffOrigin), "SUCCESS");
  assert.equal(await ask("staff-admin", portalOrigin), "ORIGIN_NOT_ALLOWED");
  assert.equal(await ask("owner", staffOrigin), "ORIGIN_NOT_ALLOWED");
  assert.equal(await ask("owner", portalOrigin), "ORIGIN_NOT_ALLOWED");
});

test("a token is valid for one act", async () => {
  const token = personToken({ role: "staff-operator" });
  const body = { reason: "once", request: { id: "no-such-record" } };
  const ask = async (): Promise<string> =>
    resultCodeOf(await requestConsole(urls.sandbox, "staff/retry", { token, body }));
  assert.equal(await ask(), "NOT_POSSIBLE");
  assert.equal(await ask(), "TOKEN_USED");
});
