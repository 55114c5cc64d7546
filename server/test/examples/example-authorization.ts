import type { Authorization } from "../../src/authorizations/authorization.ts";

const now = new Date("2026-11-15T09:30:00Z");

/** A consent whose page is open for another 30 minutes. */
export const exampleAuthorization: Authorization = {
  bucket: 1,
  clientId: "SANDBOX_COFFEE",
  authorizationId: "20261115093000123000104000000000000",
  authState: "link-1",
  authClientId: undefined,
  customerBelongsTo: "GCASH",
  scopes: ["AGREEMENT_PAY"],
  redirectUrl: "https://shop.example/linked",
  notifyUrl: undefined,
  fingerprint: new Uint8Array(),
  connector: "w",
  reference: "r",
  account: undefined,
  providerUrl: "https://wallet.example/authorize/1",
  acceptedAt: now,
  status: "ASKED",
  resultCode: undefined,
  expiresAt: new Date("2026-11-15T10:00:00Z"),
  sealedAgreement: undefined,
  userLoginId: undefined,
  providerNotifiedAt: undefined,
  sequence: 1,
  createdAt: now,
};
