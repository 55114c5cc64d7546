import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { setLinkSchemes } from "../operators/merchants/merchant.ts";
import { call, newMerchant, pathOf, startTestGateway } from "../../test/start/test-gateway.ts";
import { payRequest } from "../../test/start/test-stack.ts";
import { isAppScheme, isAllowedWebhookUrl } from "./url-rules.ts";

const { url, database } = await startTestGateway("sandbox");
const merchant = await newMerchant(database);
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;

async function findRefusedField(path: string, body: object): Promise<string | undefined> {
  const { json } = await call(url, merchant, { path: pathOf("sandbox", path), body: JSON.stringify(body) });
  // The gateway of this test has no connector, so a request with an accepted URL is rejected later, for another reason.
  return json.result["resultCode"] === "PARAM_ILLEGAL" ? json.result["resultField"] : undefined;
}

const session = { ...payRequest("s"), productScene: "CHECKOUT_PAYMENT" };
const consent = {
  customerBelongsTo: "GCASH",
  authRedirectUrl: "https://shop.example/linked",
  scopes: ["AGREEMENT_PAY"],
  authState: "link-1",
  env: { terminalType: "WEB" },
};
const refund = { refundRequestId: "r", paymentId: "p", refundAmount: { currency: "EUR", value: "1" } };

for (const [path, request, field] of [
  ["payments/pay", payRequest("p"), "paymentRedirectUrl"],
  ["payments/createPaymentSession", session, "paymentRedirectUrl"],
  ["authorizations/consult", consent, "authRedirectUrl"],
] as const) {
  test(`${path} refuses links that a browser or an operating system would execute`, async () => {
    for (const link of [
      "ms-msdt:/id",
      "view-source:https://a.example",
      "feed:javascript:1",
      "intent://x",
      "myapp://x",
    ])
      assert.equal(await findRefusedField(path, { ...request, [field]: link }), field, link);
    for (const link of ["https://shop.example/back", "http://127.0.0.1:3000/back"])
      assert.equal(await findRefusedField(path, { ...request, [field]: link }), undefined, link);
  });
}

test("an app scheme that the operator registered is accepted as a return URL, within a second", async () => {
  const back = { ...payRequest("app"), paymentRedirectUrl: "shopapp://thanks" };
  assert.equal(await findRefusedField("payments/pay", back), "paymentRedirectUrl");
  await setLinkSchemes(operator, merchant.clientId, ["shopapp"]);
  await delay(1_000);
  assert.equal(await findRefusedField("payments/pay", back), undefined);
  await assert.rejects(
    setLinkSchemes(operator, merchant.clientId, ["javascript"]),
    /is not an allowed URL scheme/,
  );
  await assert.rejects(setLinkSchemes(operator, "SANDBOX_NOBODY", ["shopapp"]), /no client/);
});

test("an app cannot register a scheme that operating systems handle", () => {
  for (const scheme of [
    "javascript",
    "data",
    "ms-msdt",
    "search-ms",
    "view-source",
    "feed",
    "intent",
    "http",
    "My",
    "x y",
  ])
    assert.equal(isAppScheme(scheme), false, scheme);
  for (const scheme of ["shopapp", "com.shop.app", "fb123"]) assert.equal(isAppScheme(scheme), true, scheme);
});

test("webhook URLs below /ams are refused in any spelling, because the gateway signs every response there", async () => {
  const places = [
    "/ams",
    "/ams/x",
    "//ams/x",
    "/AMS/x",
    "/%61ms/x",
    "/a/../ams/x",
    "/%2Fams/x",
    "/.//ams/api",
  ];
  for (const path of places) assert.equal(isAllowedWebhookUrl(`https://shop.example${path}`), false, path);
  for (const place of ["/", "/notify", "/x/ams/y", "/amsterdam", "/?/ams/"])
    assert.equal(isAllowedWebhookUrl(`https://shop.example${place}`), true, place);

  const webhookUrl = "https://shop.example/ams/notify";
  for (const [path, body, field] of [
    ["payments/pay", { ...payRequest("n"), paymentNotifyUrl: webhookUrl }, "paymentNotifyUrl"],
    ["payments/createPaymentSession", { ...session, paymentNotifyUrl: webhookUrl }, "paymentNotifyUrl"],
    ["authorizations/consult", { ...consent, authNotifyUrl: webhookUrl }, "authNotifyUrl"],
    ["payments/refund", { ...refund, refundNotifyUrl: webhookUrl }, "refundNotifyUrl"],
    [
      "tollgate/changeEndpoints",
      { notifyUrls: [{ notificationKind: "notifyPayment", url: webhookUrl }] },
      "notifyUrls",
    ],
  ] as const)
    assert.equal(await findRefusedField(path, body), field, path);
});
