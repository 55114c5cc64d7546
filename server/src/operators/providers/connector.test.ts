import assert from "node:assert/strict";
import { test } from "node:test";
import { newKeyPair, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import { addConnector, changeConnector, findConnector } from "./connector-settings.ts";

const { database } = await prepareTestGateway("live");
const operator = { url: database.ownerUrl, environment: "live" } as const;
const [first, next] = await Promise.all([newKeyPair("first"), newKeyPair("next")]);
const tls = {
  certificateFile: "/etc/tollgate/gcash.pem",
  keyFile: "/etc/tollgate/gcash.key",
  caFile: "/etc/tollgate/gcash-ca.pem",
};
const gcash = {
  name: "gcash",
  url: "https://wallet.example",
  partnerId: "us",
  publicKeyFile: first.publicKeyFile,
  paymentMethodTypes: ["*"],
  simulator: false,
};

test("a connector stores the paths of its client certificate, key and CA, and they can be removed", async () => {
  await addConnector(operator.url, "live", { ...gcash, tls });
  assert.deepEqual((await findConnector(operator, "gcash")).tls, tls);
  await changeConnector(operator, "gcash", { tls: { certificateFile: "", keyFile: "" }, terms: {} });
  const { caFile, certificateFile } = (await findConnector(operator, "gcash")).tls ?? {};
  assert.deepEqual([caFile, certificateFile], [tls.caFile, undefined]);
  await changeConnector(operator, "gcash", { tls: { caFile: "" }, terms: {} });
  assert.equal((await findConnector(operator, "gcash")).tls, undefined);
});

test("a certificate without its key, and a relative path, are rejected", async () => {
  const { certificateFile } = tls;
  await assert.rejects(addConnector(operator.url, "live", { ...gcash, tls: { certificateFile } }), {
    message: "--client-certificate and --client-key must be given together.",
  });
  await assert.rejects(changeConnector(operator, "gcash", { tls: { caFile: "ca.pem" }, terms: {} }), {
    message: "ca.pem must be an absolute path, because each server reads it.",
  });
});

test("a provider's second key can be added, shown and removed; other changes keep it", async () => {
  const { publicKeyFile: otherPublicKeyFile } = next;
  const { after } = await changeConnector(operator, "gcash", { otherPublicKeyFile, terms: {} });
  assert.match(after.otherKeySha256 ?? "", /^[0-9a-f]{64}$/);
  assert.notEqual(after.otherKeySha256, after.keySha256);
  const changedAgain = await changeConnector(operator, "gcash", { terms: { quietSeconds: 7 } });
  assert.equal(changedAgain.after.otherKeySha256, after.otherKeySha256);
  const moved = { publicKeyFile: otherPublicKeyFile, otherPublicKeyFile: "", terms: {} };
  const { after: end } = await changeConnector(operator, "gcash", moved);
  assert.deepEqual([end.keySha256, end.otherKeySha256], [after.otherKeySha256, undefined]);
});

test("live rejects a connector without TLS, on add and on change", async () => {
  const url = "http://wallet.example";
  const message = "--url: http://wallet.example must use https in live, unless it is a loopback address.";
  await assert.rejects(addConnector(operator.url, "live", { ...gcash, url }), { message });
  await assert.rejects(changeConnector(operator, "gcash", { url, terms: {} }), { message });
});
