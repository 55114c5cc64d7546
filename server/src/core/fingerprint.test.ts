import assert from "node:assert/strict";
import { test } from "node:test";
import { differingField, fingerprintOf } from "./fingerprint.ts";

const key = Buffer.alloc(32, 7);
const fields = ["productCode", "paymentAmount.value", "paymentMethod.paymentMethodId", "extra"];
const request = {
  productCode: "A",
  paymentAmount: { value: "1" },
  paymentMethod: { paymentMethodId: "token" },
};

test("two requests with equal compared fields have the same fingerprint", () => {
  const again = {
    metadata: "other",
    paymentMethod: { paymentMethodId: "token", x: 1 },
    paymentAmount: { value: "1" },
    productCode: "A",
  };
  assert.deepEqual(fingerprintOf(request, fields, key), fingerprintOf(again, fields, key));
});

test("the differing field is named, also if it is missing on one side", () => {
  const print = fingerprintOf(request, fields, key);
  const other = (change: object): Buffer => fingerprintOf({ ...request, ...change }, fields, key);
  assert.equal(differingField(fields, print, print), undefined);
  assert.equal(differingField(fields, print, other({ productCode: "B" })), "productCode");
  assert.equal(
    differingField(fields, print, other({ paymentAmount: { value: "2" } })),
    "paymentAmount.value",
  );
  assert.equal(
    differingField(fields, print, other({ paymentMethod: undefined })),
    "paymentMethod.paymentMethodId",
  );
  assert.equal(differingField(fields, print, other({ extra: ["x", { b: 1, a: null }] })), "extra");
});

test("the order of an object's keys does not count, the order of a list does", () => {
  const print = (extra: unknown): Buffer => fingerprintOf({ extra }, ["extra"], key);
  assert.deepEqual(print({ a: 1, b: [2] }), print({ b: [2], a: 1 }));
  assert.notDeepEqual(print([1, 2]), print([2, 1]));
});

test("without the installation's secret the compared values cannot be found by brute force", () => {
  assert.notDeepEqual(
    fingerprintOf(request, fields, key),
    fingerprintOf(request, fields, Buffer.alloc(32, 8)),
  );
});
