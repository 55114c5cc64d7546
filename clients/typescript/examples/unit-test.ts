import assert from "node:assert/strict";
import { Tollgate } from "@tollgate/client";
import { fakeGateway, testKeys, verifyRequest } from "@tollgate/client/testing";

// Tests your code against a gateway in memory: real keys, real signatures, no network.
const [merchant, gateway] = await Promise.all([testKeys(), testKeys()]);
const success = { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." };
const fake = fakeGateway([{ body: { result: success, paymentStatus: "SUCCESS" } }], gateway.privateKey);
const client = new Tollgate({
  clientId: "5YTEST",
  privateKey: merchant.privateKey,
  gatewayPublicKeys: gateway.publicKey,
  baseUrl: "https://gateway.example",
  transport: fake.transport,
});

const payment = await client.payments.inquiryPayment({ paymentId: "1" });
assert.ok(payment.isPaid);
const [request] = fake.requests;
assert.ok(request);
assert.deepEqual(await verifyRequest(request, merchant.publicKey), { paymentId: "1" });
console.log("ok");
