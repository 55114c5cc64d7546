import assert from "node:assert/strict";
import { after, test } from "node:test";
import { prepareTestGateway } from "../../test/start/test-gateway.ts";
import {
  askConsole,
  codeOf,
  personToken,
  portalOrigin,
  staffOrigin,
  staffVariables,
} from "../../test/start/test-people.ts";
import { kindOfRole, merchantRoles, staffRoles, type StaffRole } from "../people/role.ts";
import type { Environment } from "../postgres/migrate.ts";
import { serveStaff } from "../processes/serve-staff.ts";
import { readSettings } from "../settings/settings.ts";
import { staffRoutes } from "./staff-routes.ts";

/** Every console route with its permitted roles, written by hand, to check the permission table. */
interface Expected {
  readonly roles: readonly StaffRole[];
  readonly stepUp?: true;
}

const everybody: Expected = { roles: staffRoles };
const caretakers: Expected = { roles: ["staff-admin", "staff-operator"] };
const gravely: Expected = { ...caretakers, stepUp: true };
const treasurers: Expected = { roles: ["staff-admin", "staff-finance"], stepUp: true };
const expected: Readonly<Record<string, Expected>> = {
  openRecords: everybody,
  deliveryQueues: everybody,
  payment: everybody,
  merchants: everybody,
  merchant: everybody,
  connectors: everybody,
  gatewayKeys: everybody,
  payouts: { roles: ["staff-admin", "staff-finance"] },
  breaks: { roles: ["staff-admin", "staff-operator", "staff-finance"] },
  audit: caretakers,
  retry: caretakers,
  hold: caretakers,
  release: caretakers,
  resend: caretakers,
  setMerchant: gravely,
  suspendMerchant: gravely,
  resumeMerchant: gravely,
  moveMerchantKey: gravely,
  testConnector: gravely,
  disableConnector: gravely,
  enableConnector: gravely,
  moveConnectorKey: gravely,
  closeBreak: treasurers,
  reopenBreak: treasurers,
  assignBreak: treasurers,
  writeOffBreak: treasurers,
};

/** Seconds since the last re-authentication, and whether a route that requires re-authentication accepts this age. */
const stepUps: readonly (readonly [age: number | undefined, isFresh: boolean])[] = [
  [undefined, false],
  [5, true],
  [310, false],
];

async function start(environment: Environment): Promise<string> {
  const { database, variables } = await prepareTestGateway(environment);
  const serving = await serveStaff(readSettings({ ...variables, ...staffVariables(database) }));
  after(() => serving.stop());
  return serving.url;
}

const urls = { sandbox: await start("sandbox"), live: await start("live") };

test("the table has every route", () => {
  assert.deepEqual(
    Object.keys(expected),
    staffRoutes.map(({ name }) => name),
  );
});

/** An invalid body for every route, so a request has no effect after admission. */
const nonsense = "[]";

for (const environment of ["sandbox", "live"] as const)
  for (const [name, { roles, stepUp }] of Object.entries(expected))
    test(`${environment}: ${name} is for ${roles.join(", ")}${stepUp ? ", with re-authentication" : ""}`, async () => {
      const now = Math.floor(Date.now() / 1000);
      for (const role of [...merchantRoles, ...staffRoles])
        for (const [age, isFresh] of stepUps) {
          const since = { stepUpAt: age === undefined ? undefined : now - age };
          const token = personToken({ aud: environment, role, ...since });
          const code = codeOf(
            await askConsole(urls[environment], `staff/${name}`, {
              token,
              body: nonsense,
              headers: { origin: staffOrigin },
            }),
          );
          const who = `${role}, ${age ?? "no"} seconds after a step-up: ${code}`;
          if (kindOfRole(role) === "merchant") assert.equal(code, "ORIGIN_NOT_ALLOWED", who);
          else if (!roles.some((each) => each === role)) assert.equal(code, "RIGHT_MISSING", who);
          else if (stepUp && !isFresh) assert.equal(code, "STEP_UP_REQUIRED", who);
          else assert.equal(code, "PARAM_ILLEGAL", who);
        }
    });

test("staff requests are accepted only from the console's origin, and other people's are not", async () => {
  const ask = async (role: "owner" | "staff-admin", origin: string): Promise<string> =>
    codeOf(
      await askConsole(urls.sandbox, "staff/merchants", {
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
    codeOf(await askConsole(urls.sandbox, "staff/retry", { token, body }));
  assert.equal(await ask(), "NOT_POSSIBLE");
  assert.equal(await ask(), "TOKEN_USED");
});
