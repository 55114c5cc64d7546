import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTerms, type ConnectorTerms } from "../providers/connector.ts";
import { methodOf } from "./payment-method.ts";
import {
  selectConnector,
  isOffered,
  listOptions,
  type MethodDirectory,
  type OptionFilter,
} from "./payment-option.ts";

const terms: Readonly<Record<string, Partial<ConnectorTerms>>> = {
  peso: { currencies: ["PHP"] },
  quick: { captures: "NONE" },
};
const served: Readonly<Record<string, string>> = { GCASH: "peso", TNG: "quick", KPLUS: "silent" };

function directory(
  more: Readonly<Record<string, string>> = {},
  environment: "sandbox" | "live" = "live",
): MethodDirectory {
  const all = { ...served, ...more };
  return {
    environment,
    servedMethods: () => Object.keys(all),
    connectorFor: (type) => all[type] ?? all["*"],
    isReachable: (connector) => connector !== "silent",
    termsOf: (connector) => ({ ...defaultTerms, ...terms[connector] }),
  };
}

function reasons(asked: Partial<OptionFilter>, from = directory()): object {
  const options = listOptions(from, { currency: "EUR", isHeld: false, ...asked });
  return Object.fromEntries(options.map((option) => [option.paymentMethodType, option.disableReason]));
}

test("disabled payment methods are listed with their reasons, after the enabled ones", () => {
  assert.deepEqual(Object.entries(reasons({})), [
    ["TNG", undefined],
    ["GCASH", "CHANNEL_NOT_SUPPORT_CURRENCY"],
    ["KPLUS", "SERVICE_DEGRADE"],
  ]);
});

test("a connector serves its own currencies, and all currencies if it lists none", () => {
  assert.deepEqual(reasons({ currency: "PHP", types: ["GCASH", "TNG"] }), {
    GCASH: undefined,
    TNG: undefined,
  });
});

test("an authorization requires a connector that supports captures", () => {
  const asked = { currency: "PHP", isHeld: true, types: ["GCASH", "TNG"] };
  assert.deepEqual(reasons(asked), { GCASH: undefined, TNG: "CHANNEL_DISABLE" });
});

test("the merchant's own list keeps its order without duplicates, and includes methods without a connector", () => {
  const types = ["KPLUS", "OVO", "TNG", "OVO"];
  assert.deepEqual(Object.entries(reasons({ types })), [
    ["KPLUS", "SERVICE_DEGRADE"],
    ["OVO", "CURRENT_CHANNEL_NOT_EXIST"],
    ["TNG", undefined],
  ]);
});

test("a connector for all methods serves all known e-wallets, and any requested method", () => {
  const from = directory({ "*": "rest" });
  const options = reasons({}, from);
  assert.ok("ALIPAY_CN" in options && "TNG" in options && !("*" in options));
  assert.deepEqual(reasons({ types: ["NEWPAY"] }, from), { NEWPAY: undefined });
});

test("payment methods of the buyer's region come first", () => {
  const from = directory({ "*": "rest" });
  const [first, second] = Object.keys(reasons({ userRegion: "KR", currency: "PHP" }, from));
  assert.deepEqual([first, second], ["KAKAOPAY", "NAVERPAY"]);
});

test("blocked methods and other regions are left out; unknown methods are in the region GLOBAL", () => {
  assert.deepEqual(Object.keys(reasons({ blocked: ["TNG"] })), ["GCASH", "KPLUS"]);
  assert.deepEqual(Object.keys(reasons({ regions: ["MY"] })), ["TNG"]);
  assert.deepEqual(Object.keys(reasons({ regions: ["GLOBAL"] })), ["KPLUS"]);
  assert.equal(Object.keys(reasons({ regions: [] })).length, 3);
});

test("a method whose provider does not respond is still offered, and no other disabled method is", () => {
  const options = listOptions(directory(), {
    currency: "EUR",
    isHeld: false,
    types: ["OVO", ...Object.keys(served)],
  });
  assert.deepEqual(
    options.filter(isOffered).map(({ paymentMethodType }) => paymentMethodType),
    ["TNG", "KPLUS"],
  );
});

test("the category of a bank's payment method follows from its prefix", () => {
  const categories = ["ONLINEBANKING_BNI", "BANKTRANSFER_BNI", "BANKAPP_KBANK", "CARD", "NEWPAY"].map(
    (type) => methodOf(type).category,
  );
  assert.deepEqual(categories, ["ONLINE_BANKING", "BANK_TRANSFER", "MOBILE_BANKING_APP", "CARD", undefined]);
});

test("the sandbox does not offer an unknown payment method, although its provider would accept it", () => {
  const types = ["GCASHH", "OVO", "TNG"];
  const everything = { "*": "everything" };
  assert.deepEqual(reasons({ types }, directory(everything, "sandbox")), {
    GCASHH: "CURRENT_CHANNEL_NOT_EXIST",
    OVO: undefined,
    TNG: undefined,
  });
  assert.equal(Object.values(reasons({ types }, directory(everything))).filter(Boolean).length, 0);
});

for (const brand of ["VISA", "MASTERCARD", "amex"]) {
  test(`if a connector accepts cards, the sandbox suggests CARD for ${brand}`, () => {
    const refusal = selectConnector(directory({ CARD: "bank" }, "sandbox"), brand);
    assert.ok(typeof refusal === "object");
    assert.match(refusal.hint ?? "", /Did you mean CARD\? The buyer chooses the brand on the card page\./);
    const without = selectConnector(directory({}, "sandbox"), brand);
    assert.ok(typeof without === "object");
    assert.doesNotMatch(without.hint ?? "", /CARD/);
  });
}
