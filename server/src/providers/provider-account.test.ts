import assert from "node:assert/strict";
import { test } from "node:test";
import { connectorFor, defaultTerms, sharedMethodsOf, type EligibleConnector } from "./connector.ts";
import { accountProblem, referencesAt, type ApprovedRegistration } from "./provider-account.ts";

const references = [
  "acct_1A2b3C4d5E6f7G",
  "CoffeeLabECOM",
  "pfl_QkEhN94Ba",
  "0b8f7f5e-5f0c-4b43-9c29-7c1b3d1d3e57",
  "merchant+manila@shop.example",
  "~",
];
const keys = [
  "sk_live_51H8abcdEXAMPLE",
  "sk_test_51H8abcdEXAMPLE",
  "rk_live_51H8abcdEXAMPLE",
  "pk_live_51H8abcdEXAMPLE",
  "live_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM",
  "whsec_MbkP2tHdHYQ0e8eB1Ztqz",
  "AQEyhmfxLI3MaBFLw0m",
  "access_token$production$x",
  "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
  "-----BEGIN",
  "k".repeat(60),
];
const malformed = ["", "two words", " acct_1", "acct_1\n", "konto-ä", "a".repeat(129)];

test("references of accounts are accepted", () => {
  for (const text of references) assert.equal(accountProblem(text), undefined, text);
});

test("texts that look like keys are rejected with the reason, and without the text", () => {
  for (const text of keys) {
    assert.match(
      accountProblem(text) ?? "",
      /looks like a key.*Keys and secrets stay in the connector/,
      text,
    );
    assert.ok(!accountProblem(text)?.includes(text), "the message is logged");
  }
});

test("texts with spaces, other characters or a wrong length are rejected", () => {
  for (const text of malformed) assert.match(accountProblem(text) ?? "", /1 to 128 printable/, text);
});

const registration = (referenceMerchantId: string, registrationId: string): ApprovedRegistration => ({
  connector: "acquirer",
  referenceMerchantId,
  registrationId,
});

test("an order has the newest registration of the merchant that it names", () => {
  const registrations = [
    registration("m-1", "new"),
    registration("m-1", "old"),
    registration("m-2", "other"),
  ];
  const at = (connector: string, merchant: string | undefined) =>
    referencesAt({ accounts: new Map(), registrations }, connector, merchant).registrationId;
  assert.equal(at("acquirer", "m-1"), "new");
  assert.equal(at("acquirer", "m-2"), "other");
  assert.equal(at("acquirer", "m-3"), undefined);
  assert.equal(at("acquirer", undefined), undefined, "it could be of either merchant");
  assert.equal(at("another", "m-1"), undefined);
});

test("an order that names no merchant has the registration of the only registered one", () => {
  const merchant = {
    accounts: new Map(),
    registrations: [registration("m-1", "new"), registration("m-1", "old")],
  };
  assert.equal(referencesAt(merchant, "acquirer", undefined).registrationId, "new");
});

function newConnector(name: string, more: Partial<EligibleConnector["terms"]> = {}, types = ["CARD"]) {
  return { name, paymentMethodTypes: types, terms: { ...defaultTerms, ...more } };
}

const noAccounts = new Map<string, string>();
const choose = (connectors: readonly EligibleConnector[], accounts = noAccounts, type = "CARD") =>
  connectorFor(connectors, type, accounts)?.name;

test("of several connectors, one with an account of the merchant is first, then the priority, then the name", () => {
  const [b, a, first, own] = [
    newConnector("b"),
    newConnector("a"),
    newConnector("first", { priority: 1 }),
    newConnector("own", { accounts: "optional", priority: 900 }),
  ];
  assert.equal(choose([b, a]), "a");
  assert.equal(choose([b, a, first]), "first");
  assert.equal(choose([b, a, first, own]), "first");
  assert.equal(choose([b, a, first, own], new Map([["own", "acct_1"]])), "own");
});

test("a connector that requires accounts serves only merchants with an account", () => {
  const demanding = newConnector("demanding", { accounts: "required", priority: 1 });
  const rest = newConnector("rest", {}, ["*"]);
  assert.equal(choose([demanding]), undefined);
  assert.equal(choose([demanding, newConnector("other")]), "other");
  assert.equal(choose([demanding], new Map([["demanding", "acct_1"]])), "demanding");
  // `*` means the methods that no other connector lists, for every merchant.
  assert.equal(choose([demanding, rest]), undefined);
  assert.equal(choose([demanding, rest], noAccounts, "GCASH"), "rest");
});

test("a disabled connector is chosen only without another one", () => {
  const disabled = { ...newConnector("disabled", { priority: 1 }), disabledAt: new Date() };
  assert.equal(choose([disabled, newConnector("other")]), "other");
  assert.equal(choose([disabled]), "disabled");
});

test("connectors of one method are listed in the order of choice", () => {
  const [later, sooner, alone] = [
    newConnector("later"),
    newConnector("sooner", { priority: 5 }),
    newConnector("alone", {}, ["GCASH"]),
  ];
  const all = [alone, later, sooner];
  assert.deepEqual(sharedMethodsOf(later, all), [
    { paymentMethodType: "CARD", connectors: ["sooner", "later"] },
  ]);
  assert.deepEqual(sharedMethodsOf(alone, all), []);
});
