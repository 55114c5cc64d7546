import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bucketOf } from "../core/bucket.ts";
import { newId } from "../core/id.ts";
import { openDatabase } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { deriveSecrets, createSecretKeeper } from "../signing/secrets.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { lockAgreement } from "./lock-agreement.tx.ts";
import { insertAuthorization, lockAuthorization, updateAuthorizationStatus } from "./authorization.sql.ts";
import type { Authorization } from "./authorization.ts";
import { createPair } from "./token-pair.ts";
import { insertToken, retireTokens, updateTokenReplaced, useToken } from "./token.sql.ts";
import type { Token } from "./token.ts";

const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
const clientId = "SANDBOX_COFFEE";
const bucket = bucketOf(clientId);
const owner = { bucket, clientId };
const now = new Date();
const secrets = createSecretKeeper(deriveSecrets(randomBytes(32)));
const options = { url: appUrl, applicationName: "agreement", connectionsMax: 4 };
const database = openDatabase({ ...options, onFault: () => undefined });
after(() => database.close());

async function commit<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value> {
  const outcome = await database.transaction([clientId], work);
  assert.ok(outcome.outcome === "committed", String("cause" in outcome && outcome.cause));
  return outcome.value;
}

interface Linked {
  readonly authorization: Authorization;
  readonly accessToken: string;
}

/**
 * A buyer's consent with a pair of tokens that was refreshed once: both pairs are valid until the newer one is used.
 */
async function linked(authState: string): Promise<Linked> {
  const requested: Authorization = {
    ...owner,
    authorizationId: newId("authorization", bucket, now, (below) => randomInt(below)),
    authState,
    authClientId: undefined,
    customerBelongsTo: "GCASH",
    scopes: ["AGREEMENT_PAY"],
    redirectUrl: "https://shop.example/linked",
    notifyUrl: undefined,
    fingerprint: new Uint8Array(),
    connector: "w",
    reference: authState,
    account: undefined,
    providerUrl: undefined,
    acceptedAt: undefined,
    status: "ASKED",
    resultCode: undefined,
    expiresAt: new Date(now.getTime() + 3_600_000),
    sealedAgreement: undefined,
    userLoginId: undefined,
    providerNotifiedAt: undefined,
    sequence: 1,
    createdAt: now,
  };
  return commit(async (tx) => {
    await insertAuthorization(tx, requested);
    const sealedAgreement = secrets.encrypt("agreement", requested.authorizationId);
    const authorization = updateAuthorizationStatus(
      tx,
      requested,
      { status: "ACTIVE", sealedAgreement },
      now,
    );
    const [older] = await issue(tx, authorization, "code");
    updateTokenReplaced(tx, older, now);
    const [, accessToken] = await issue(tx, authorization, "refresh token");
    return { authorization, accessToken };
  });
}

async function issue(
  tx: Tx,
  { authorizationId }: Authorization,
  credential: string,
): Promise<readonly [Token, string]> {
  const tokenId = newId("token", bucket, now, (below) => randomInt(below));
  const { pair, issued } = createPair({ tokenId, clientId }, secrets, now);
  const token: Token = {
    ...owner,
    tokenId,
    customerBelongsTo: "GCASH",
    connector: "w",
    account: undefined,
    credentialHash: secrets.keyedHash(`${authorizationId} ${credential}`, clientId),
    sealedCredential: undefined,
    authorizationId,
    status: "ISSUED",
    resultCode: undefined,
    issued,
    createdAt: now,
    usedAt: undefined,
    replacedAt: undefined,
  };
  assert.ok(await insertToken(tx, token));
  return [token, pair.accessToken];
}

const holdMs = 300;

/** The part of `pay` that locks and uses a token. */
async function pay(tx: Tx, { accessToken }: Linked, heldMs = 0): Promise<string> {
  const asked = { accessToken, paymentMethodType: "GCASH", now, secrets };
  const agreement = await lockAgreement(tx, owner, asked);
  if ("refusal" in agreement) return agreement.refusal;
  await delay(heldMs);
  useToken(tx, agreement.token, now);
  return "taken";
}

async function revoke(tx: Tx, { authorization }: Linked, heldMs = 0): Promise<string> {
  const locked = await lockAuthorization(tx, owner, authorization.authorizationId);
  assert.ok(locked);
  retireTokens(tx, updateAuthorizationStatus(tx, locked, { status: "REVOKED" }, now));
  await delay(heldMs);
  return "revoked";
}

test("a revoke waits for a payment in progress", async () => {
  const link = await linked("pay-first");
  const ends: string[] = [];
  const paying = commit((tx) => pay(tx, link, holdMs)).then((outcome) => ends.push(outcome));
  await delay(holdMs / 3);
  await Promise.all([paying, commit((tx) => revoke(tx, link)).then((said) => ends.push(said))]);
  assert.deepEqual(ends, ["taken", "revoked"]);
});

test("a payment waits for a revoke in progress, and is then refused", async () => {
  const link = await linked("revoke-first");
  const revoking = commit((tx) => revoke(tx, link, holdMs));
  await delay(holdMs / 3);
  assert.equal(await commit((tx) => pay(tx, link)), "AUTHORIZATION_NOT_EXIST");
  await revoking;
});

test("a payment with the newer of two pairs and a revoke do not deadlock", async () => {
  await asSuperuser(
    `create function takes_a_while() returns trigger language plpgsql as 'begin perform pg_sleep(0.03); return new; end';
     create trigger takes_a_while before update on tokens for each row execute function takes_a_while()`,
    [],
    superuserUrl,
  );
  const links = await Promise.all(["a", "b", "c", "d"].map((name) => linked(`circle-${name}`)));
  let startedCount = 0;
  const counted = async (work: Promise<string>): Promise<string> => {
    startedCount += 1;
    return work;
  };
  for (const link of links)
    await Promise.all([commit((tx) => counted(pay(tx, link))), commit((tx) => counted(revoke(tx, link)))]);
  assert.equal(startedCount, 2 * links.length, "PostgreSQL aborted a transaction because of a deadlock.");
});
