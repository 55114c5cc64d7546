import assert from "node:assert/strict";
import { test } from "node:test";
import { call, control, effects, newFolder, startWallet } from "../testing/test-wallet.ts";

const folder = newFolder();
const wallet = await startWallet(folder);

function registration(name: string, more: object = {}): object {
  return {
    reference: `ref-${name}`,
    registrationRequestId: name,
    productCodes: ["IN_STORE_PAYMENT"],
    merchant: { referenceMerchantId: "coffee-lab" },
    store: { referenceStoreId: "harbour" },
    ...more,
  };
}

const register = (fields: object) => call(wallet, "registrations/register", fields);
const inquire = (reference: string, at = wallet) =>
  call(at, "registrations/inquire-registration", { reference });

function linesOf(name: string): string[] {
  return effects(wallet)
    .filter((line) => "reference" in line && line.reference === `ref-${name}`)
    .map((line) => ("outcome" in line ? `${line.kind} ${line.outcome}` : line.kind));
}

test("a store is accepted automatically, once for each reference, in any order of its fields", async () => {
  const first = await register(registration("plain"));
  assert.equal(first.registration["state"], "APPROVED");
  assert.match(String(first.registration["providerRegistrationId"]), /^wg_/);
  const fields = Object.fromEntries(Object.entries(registration("plain")).toReversed());
  assert.deepEqual(await register(fields), first);
  assert.deepEqual(await inquire("ref-plain"), first);

  const other = await register(registration("plain", { store: { referenceStoreId: "station" } }));
  assert.equal(other.result["resultCode"], "REPEAT_REQ_INCONSISTENT");
  assert.deepEqual(linesOf("plain"), [
    "register opened",
    "registration-decided",
    "register repeated",
    "register inconsistent",
  ]);
});

test("control rejects with reasons before the registration arrives or while it is held; a decision is final", async () => {
  const rejectReasons = ["The logo is missing."];
  const planned = await control(wallet, "POST registrations/early/reject", { rejectReasons });
  assert.deepEqual(planned.json, { planned: "reject" });
  const rejected = await register(registration("early"));
  assert.equal(rejected.registration["state"], "REJECTED");
  assert.deepEqual(rejected.registration["rejectReasons"], rejectReasons);

  await control(wallet, "POST registrations/held/hold");
  for (const _ of [1, 2])
    assert.equal((await register(registration("held"))).registration["state"], "PROCESSING");
  const { json } = await control(wallet, "POST registrations/ref-held/accept");
  assert.equal(json.registration?.["state"], "APPROVED");
  assert.equal((await control(wallet, "POST registrations/held/reject")).status, 409);
  assert.equal((await inquire("ref-held")).registration["state"], "APPROVED");
});

test("reject reasons that are not texts are rejected", async () => {
  const { status } = await control(wallet, "POST registrations/odd/reject", { rejectReasons: "No." });
  assert.equal(status, 400);
});

for (const [field, more] of [
  ["reference", { reference: "" }],
  ["registrationRequestId", { registrationRequestId: undefined }],
  ["productCodes", { productCodes: [] }],
  ["merchant", { merchant: "coffee-lab" }],
  ["store", { store: [] }],
] as const) {
  test(`a registration without a valid ${field} is rejected with the field's name`, async () => {
    const { result } = await register(registration(`no-${field}`, more));
    assert.equal(result["resultMessage"], `${field} is missing or malformed.`);
  });
}

test("an unknown registration is not found, and all registrations survive a restart", async () => {
  assert.equal((await inquire("ref-never")).result["resultCode"], "RECORD_NOT_FOUND");
  await control(wallet, "POST registrations/later/hold");
  await wallet.end("SIGKILL");
  const restarted = await startWallet(folder);
  assert.equal((await inquire("ref-early", restarted)).registration["state"], "REJECTED");
  const consented = await call(restarted, "registrations/register", registration("later"));
  assert.equal(consented.registration["state"], "PROCESSING");
});
