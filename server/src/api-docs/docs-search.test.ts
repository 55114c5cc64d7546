import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { readSite } from "../http/pages/api-docs.ts";
import { openSearch } from "./open-search.ts";
import { searchEntries, searchScript } from "./search-index.ts";

const site = readSite({ publicUrl: "https://pay.example", environment: "sandbox" });
const entries = searchEntries(site);
const search = openSearch(entries);
/** The search over reference pages only, because guides use other words. */
const reference = openSearch(entries.filter(({ kind }) => kind !== "guide"));
const first = (question: string): string | undefined => reference(question)[0]?.path;

/**
 * A merchant's query, and the pages with the answer: any of them may come first, if a guide and the reference both have
 * it.
 */
const questions: readonly (readonly [question: string, ...pages: string[]])[] = [
  ["how do I take a payment", "/docs/guides/redirect", "/docs/payments/pay"],
  [
    "how do I give the buyer the money back",
    "/docs/payments/refund",
    "/docs/guides/redirect#give-money-back",
  ],
  ["refund only part of the amount", "/docs/payments/refund"],
  ["was the order paid", "/docs/payments/inquiryPayment"],
  ["what do I do when I get no answer", "/docs/idempotency"],
  ["is it safe to send the same request twice", "/docs/idempotency"],
  [
    "why is my signature invalid",
    "/docs/guides/troubleshooting",
    "/docs/signing",
    "/docs/results#INVALID_SIGNATURE",
  ],
  ["how do I verify a webhook", "/docs/notifications", "/docs/guides/notifications"],
  [
    "the webhook did not arrive",
    "/docs/tollgate/inquiryNotifications",
    "/docs/guides/notifications#when-it-does-not-arrive",
  ],
  ["send a missed webhook again", "/docs/tollgate/resendNotifications"],
  ["how do I go live", "/docs/guides/going-live", "/docs/environments"],
  [
    "charge a subscription every month without asking the buyer",
    "/docs/guides/tokens",
    "/docs/authorizations/consult",
  ],
  ["my access token has expired", "/docs/authorizations/applyToken", "/docs/results#EXPIRED_ACCESS_TOKEN"],
  ["hold the money and take it when I ship", "/docs/guides/hold-and-capture", "/docs/payments/capture"],
  ["scan a QR code at the till", "/docs/payments/pay", "/docs/guides/in-store-payment-code"],
  ["let the buyer choose the payment method", "/docs/guides/session", "/docs/payments/createPaymentSession"],
  ["answer a chargeback with evidence", "/docs/payments/supplyDefenseDocument", "/docs/guides/disputes"],
  ["void an unpaid order", "/docs/payments/cancel"],
  ["how many requests per second", "/docs/limits"],
  ["test what happens a week later", "/docs/tollgate/advanceClock"],
  ["which payment methods are available", "/docs/payments/consult"],
  ["register my store with a provider", "/docs/merchants/registration"],
  ["which statuses are final", "/docs/statuses"],
  ["can a successful payment change its status", "/docs/statuses"],
  ["terminal states of a payment", "/docs/statuses"],
  ["php library", "/docs/libraries"],
  // Terms of the payment industry, each as the only word of a query.
  ["webhook", "/docs/notifications", "/docs/guides/notifications"],
  ["dead letter", "/docs/tollgate/resendNotifications"],
  ["reconciliation", "/docs/tollgate/inquirySettlements"],
  ["rate limit", "/docs/limits"],
  ["timeout", "/docs/idempotency", "/docs/limits"],
  ["circuit breaker", "/docs/notifications"],
  ["chargeback evidence", "/docs/payments/supplyDefenseDocument", "/docs/payments/downloadDisputeEvidence"],
  ["payout failed", "/docs/notifications/notifyPayout"],
  ["rotate key", "/docs/tollgate/inquiryKeyUse", "/docs/tollgate/useGatewayKey"],
  ["clock skew", "/docs/signing"],
  ["duplicate charge", "/docs/idempotency"],
  ["replay", "/docs/tollgate/resendNotifications", "/docs/signing"],
  ["replay attack", "/docs/signing"],
  ["idempotency key", "/docs/idempotency"],
  ["event feed", "/docs/tollgate/inquiryEvents"],
  ["point of sale", "/docs/guides/in-store"],
  ["partial capture", "/docs/payments/capture"],
  ["refund failed", "/docs/notifications/notifyRefund", "/docs/payments/inquiryRefund"],
  ["polling", "/docs/payments/inquiryPayment"],
  ["fx rate", "/docs/tollgate/inquirySettlements"],
  ["ORDER_NOT_EXIST", "/docs/results#ORDER_NOT_EXIST"],
  ["order not exist", "/docs/results#ORDER_NOT_EXIST"],
  ["inquiryRefund", "/docs/payments/inquiryRefund"],
  ["notifyDispute", "/docs/notifications/notifyDispute"],
];

for (const [question, ...pages] of questions) {
  test(`“${question}” finds its page as the first result`, () => {
    const found = search(question).slice(0, 3);
    assert.ok(
      pages.includes(found[0]?.path ?? ""),
      `found ${found.map(({ path }) => path).join(", ")}, not ${pages.join(" or ")}`,
    );
  });
}

test("the search finds pages while the user types", () => {
  assert.equal(first("refu"), first("refund"));
  assert.equal(first("ORDER_NOT_EX"), "/docs/results#ORDER_NOT_EXIST");
});

test("a field and a value lead to an operation that has them", () => {
  assert.equal(first("isLastCapture"), "/docs/payments/capture");
  assert.equal(first("CORRUPT_SIGNATURE"), "/docs/tollgate/orderFault");
});

test("an unknown word finds nothing", () => {
  assert.deepEqual(search("zebra crossing"), []);
  assert.deepEqual(search(""), []);
});

test("the script for browsers contains every entry, and ranks like the server", () => {
  const question = "how do I give the buyer the money back";
  const script = searchScript(site).replaceAll("export const", "var");
  const [searchable, ranked] = runInNewContext(
    `${script}; [JSON.stringify(entries), JSON.stringify(openSearch(entries)(question))]`,
    { question },
  ) as [string, string];
  assert.deepEqual(JSON.parse(searchable), entries);
  assert.deepEqual(JSON.parse(ranked), search(question));
});

test("every page and every result code is found by its name", () => {
  for (const { title, path } of entries.filter(({ kind }) => kind !== "guide")) {
    const found = search(title).slice(0, 2);
    assert.ok(
      found.some((entry) => entry.path === path || entry.title === title),
      title,
    );
  }
});
