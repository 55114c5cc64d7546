import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { examplePayment } from "../../../test/examples/example-payment.ts";
import { collectOrderData, selectOrderData } from "./order-data.ts";

const orderAmount = { currency: "EUR", value: "1250" };
const order = { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount };
const env = { terminalType: "WEB", userAgent: "Browser/1.0", extendInfo: "{}" };

describe("data of an order", () => {
  test("only wanted groups are collected, and env is split into device and browser", () => {
    const request = { order: { ...order, buyer: { buyerEmail: "ann@mail.example" } }, env };
    assert.deepEqual(collectOrderData(request, ["device"]), { device: { terminalType: "WEB" } });
    assert.deepEqual(collectOrderData(request, ["browser", "buyer"]), {
      browser: { userAgent: "Browser/1.0" },
      buyer: { buyerEmail: "ann@mail.example" },
    });
  });

  test("a request without any field of the wanted groups has no data", () => {
    assert.equal(
      collectOrderData({ order, env }, ["address", "locale", "descriptor", "metadata"]),
      undefined,
    );
    assert.equal(collectOrderData({ order, env }, []), undefined);
  });

  test("the list of articles is cut at 16 KiB of UTF-8", () => {
    const article = { referenceGoodsId: "A", goodsName: "é".repeat(250) };
    const count = Math.floor((16 * 1_024) / Buffer.byteLength(JSON.stringify(article)));
    const goods = Array.from({ length: 100 }, () => article);
    assert.deepEqual(collectOrderData({ order: { ...order, goods } }, ["goods"]), {
      goods: { goods: goods.slice(0, count), orderAmount },
    });
  });

  test("a long article does not let a later one through", () => {
    const article = { referenceGoodsId: "A", goodsName: "Beans" };
    const long = { ...article, goodsUrl: `https://shop.example/${"a".repeat(17 * 1_024)}` };
    const data = collectOrderData({ order: { ...order, goods: [article, long, article] } }, ["goods"]);
    assert.deepEqual(data, { goods: { goods: [article], orderAmount } });
  });

  test("the submit has the stored groups that the connector wants now", () => {
    const payment = examplePayment({
      metadata: "table 4",
      orderData: { buyer: { referenceBuyerId: "b" }, locale: { userRegion: "DE" } },
    });
    assert.deepEqual(selectOrderData(payment, ["locale", "metadata", "browser"], "Coffee Lab"), {
      locale: { userRegion: "DE" },
      metadata: { metadata: "table 4" },
    });
    assert.equal(selectOrderData(payment, [], "Coffee Lab"), undefined);
  });

  test("the name on the statement is the merchant's display name, or else its name at the gateway", () => {
    const wants = ["descriptor"] as const;
    const merchant = {
      referenceMerchantId: "m-1",
      merchantName: "Coffee Lab Ltd",
      merchantDisplayName: "Coffee",
    };
    const orderData = collectOrderData({ order: { ...order, merchant } }, wants);
    const selected = selectOrderData(examplePayment({ orderData }), wants, "Platform");
    assert.deepEqual(selected, { descriptor: { merchantDisplayName: "Coffee" } });
    assert.deepEqual(selectOrderData(examplePayment({}), wants, "Platform"), {
      descriptor: { merchantDisplayName: "Platform" },
    });
  });
});
