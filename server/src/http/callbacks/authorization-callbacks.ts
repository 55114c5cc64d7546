import { decideAuthorization } from "../../authorizations/decide-authorization.ts";
import { findAuthorization, lockAuthorization } from "../../authorizations/authorization.sql.ts";
import { recordAuthorization } from "../../authorizations/record-authorization.tx.ts";
import { bucketOf } from "../../core/bucket.ts";
import type { RequestResult } from "../../core/result.ts";
import { parseStrictJson } from "../../core/strict-json.ts";
import { requireCommitted } from "../../postgres/database.ts";
import type { ServerOrigin } from "../../postgres/connection-origin.ts";
import type { Tx } from "../../postgres/sql.ts";
import { readAuthorization } from "../../providers/authorization-report.ts";
import type { LoadedConnector } from "../../providers/connector-directory.ts";
import type { MerchantAccount } from "../../providers/provider.ts";
import type { Arrival } from "../merchant-api/arrival.ts";
import { confirmAuthorization, unconfirmed } from "./confirm-callback.ts";
import type { Gateway } from "../merchant-api/gateway.ts";

/** The consent that a callback with a verified signature names. */
interface AuthorizationKey {
  readonly clientId: string;
  readonly authorizationId: string;
}

/**
 * Records a provider's callback about a consent. It is idempotent by state: a repeated callback finds the state that
 * the first one set, so no event id is stored.
 */
export async function receiveAuthorizationCallback(
  gateway: Gateway,
  { name, provider, terms }: LoadedConnector,
  { clientId, authorizationId }: AuthorizationKey,
  { arrival, body }: { readonly arrival: Pick<Arrival, "slot">; readonly body: Buffer },
): Promise<RequestResult> {
  const parsed = parseStrictJson(body);
  if ("problem" in parsed) return { code: "PARAM_ILLEGAL", detail: parsed.problem };
  const { reference, authorization: rawAuthorization } = Object(parsed.value) as Readonly<
    Record<string, unknown>
  >;
  const reported = typeof reference === "string" ? readAuthorization(rawAuthorization, reference) : undefined;
  if (!reported || typeof reference !== "string") return { code: "PARAM_ILLEGAL" };
  const { environment, database } = gateway;
  const owner = { bucket: bucketOf(clientId), clientId };
  const findOwner = async (): Promise<MerchantAccount> => {
    // Only connectors with accounts cost this read.
    const consent =
      terms.accounts === "none"
        ? undefined
        : await findAuthorization(database.reader([clientId]), owner, authorizationId);
    return { merchantId: clientId, account: consent?.account };
  };
  // The callback releases its concurrency slot while it waits for the provider.
  const report = await arrival.slot.idle(
    confirmAuthorization({ environment, provider, findOwner }, reference, reported),
  );
  if (report === unconfirmed) {
    const consent = { clientId, paymentId: authorizationId };
    gateway.driver.alert("The provider's inquiry does not confirm its callback about a consent.", consent);
    return { code: "UNKNOWN_EXCEPTION" };
  }

  const aheadMs = (await gateway.clients.find(clientId))?.aheadMs ?? 0;
  const context = gateway.driver.context({ aheadMs });
  const origins = new Set<ServerOrigin>();
  const record = async (tx: Tx): Promise<boolean> => {
    const authorization = await lockAuthorization(tx, owner, authorizationId);
    // A provider may report only on its own consents, even if its signature is valid.
    if (authorization?.connector !== name || authorization.reference !== reference) return false;
    const decision = decideAuthorization(authorization, report, context.now);
    await recordAuthorization(tx, authorization, decision, context);
    gateway.runner.atCrashPoint("before-callback-commit");
    return true;
  };
  const isRecorded = requireCommitted(await gateway.database.transaction([clientId], record, origins));
  if (!isRecorded) return { code: "AUTHORIZATION_NOT_EXIST" };
  await gateway.database.waitForReplication(origins);
  gateway.runner.wake();
  return { code: "SUCCESS" };
}
