import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newMerchant, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { requestConsole, resultCodeOf, personToken, staffVariables } from "../../test/start/test-console.ts";
import { requiresApproval } from "../audit/dual-approval.ts";
import { actDigest } from "../people/approval-rules.ts";
import { serveStaff } from "../processes/serve-staff.ts";
import { readSettings } from "../settings/settings.ts";
import { staffRoutes } from "./staff-routes.ts";

/**
 * These tests check that in live the console requires an approval for the same acts as the command line. No setting
 * affects this rule.
 */
const { database, variables } = await prepareTestGateway("live");
const { clientId } = await newMerchant(database);
const serving = await serveStaff(readSettings({ ...variables, ...staffVariables(database) }));
after(() => serving.stop());

interface Example {
  readonly route: string;
  readonly request: object;
  readonly needsApproval: boolean;
}

/** A list written by hand: each staff act, with requests that need an approval and requests that do not. */
const examples: readonly Example[] = [
  { route: "retry", request: { id: "none" }, needsApproval: false },
  { route: "hold", request: { id: "none" }, needsApproval: false },
  { route: "release", request: { id: "none" }, needsApproval: false },
  { route: "resend", request: { clientId, notificationId: "none" }, needsApproval: false },
  { route: "setMerchant", request: { clientId, ratePerSecond: 7 }, needsApproval: false },
  { route: "setMerchant", request: { clientId, feeBasisPoints: 0 }, needsApproval: true },
  { route: "setMerchant", request: { clientId, ratePerSecond: 7, feeBasisPoints: 9 }, needsApproval: true },
  { route: "suspendMerchant", request: { clientId }, needsApproval: true },
  { route: "resumeMerchant", request: { clientId }, needsApproval: true },
  { route: "moveMerchantKey", request: { clientId, version: 1 }, needsApproval: true },
  { route: "testConnector", request: { name: "gcash" }, needsApproval: false },
  { route: "disableConnector", request: { name: "gcash" }, needsApproval: false },
  { route: "enableConnector", request: { name: "gcash" }, needsApproval: false },
  { route: "moveConnectorKey", request: { name: "gcash", version: 1 }, needsApproval: true },
  {
    route: "setProviderAccount",
    request: { clientId, connector: "stripe", account: "acct_1" },
    needsApproval: true,
  },
  { route: "removeProviderAccount", request: { clientId, connector: "stripe" }, needsApproval: true },
  { route: "closeBreak", request: { breakId: 1 }, needsApproval: false },
  { route: "reopenBreak", request: { breakId: 1 }, needsApproval: false },
  { route: "assignBreak", request: { breakId: 1 }, needsApproval: false },
  { route: "writeOffBreak", request: { breakId: 1 }, needsApproval: true },
];

const reason = "as agreed";

async function run(route: string, request: object, tokenFields: object = {}): Promise<string> {
  const token = personToken({ aud: "live", role: "staff-admin", sub: "per_first", ...tokenFields });
  return resultCodeOf(
    await requestConsole(serving.url, `staff/${route}`, { token, body: { reason, request } }),
  );
}

test("the examples include each staff act", () => {
  assert.deepEqual(
    [...new Set(examples.map(({ route }) => route))],
    staffRoutes.filter(({ changesData }) => changesData).map(({ name }) => name),
  );
});

for (const { route, request, needsApproval } of examples)
  test(`live: ${route} ${Object.keys(request).join(", ")} needs ${needsApproval ? "an" : "no"} approval`, async () => {
    const code = await run(route, request);
    assert.equal(code === "APPROVAL_NEEDED", needsApproval, code);
    const { auditedAct } = staffRoutes.find(({ name }) => name === route) ?? assert.fail(route);
    const act = { act: auditedAct ?? assert.fail(route), subject: "", after: request };
    assert.equal(requiresApproval(act), needsApproval, "the command line has the same rule");
  });

test("live: a text that looks like a key is rejected before an approval is requested", async () => {
  const key = { clientId, connector: "stripe", account: "sk_live_51H8abcdEXAMPLE" };
  assert.equal(await run("setProviderAccount", key), "PARAM_ILLEGAL");
});

test("live: an approval of the same request lets the act run once, and an approval of another request does not", async () => {
  const withApproval = (request: object): object => {
    const act = { act: "staff/suspendMerchant", place: "org_1", request: { reason, request } };
    return { confirmed: { by: "per_second", permission: "merchants.change", digest: actDigest(act) } };
  };
  const otherApproval = withApproval({ clientId: "another" });
  assert.equal(await run("suspendMerchant", { clientId }, otherApproval), "APPROVAL_NEEDED");
  assert.equal(await run("suspendMerchant", { clientId }, withApproval({ clientId })), "SUCCESS");
});
