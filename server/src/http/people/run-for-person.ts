import type { Call, Operation } from "../../contract/operation.ts";
import { insertAudit } from "../../audit/audit.sql.ts";
import type { NewAudit } from "../../audit/audit.ts";
import { isRefusal, type Refusal } from "../../core/result.ts";
import { consoleRefusal } from "../../people/console-result.ts";
import type { PersonToken } from "../../people/person-token.ts";
import { dailyRefundLimit, auditReason } from "../../people/approval-rules.ts";
import { accountingDayOf, startOfAccountingDay } from "../../core/accounting-day.ts";
import { sumPersonRefunds } from "../../refunds/refund-limit.sql.ts";
import { isTimeout } from "../../postgres/database-error.ts";
import { requireCommitted } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { TooManyWaiting } from "../../postgres/merchant-queue.ts";
import type { PersonAdmission } from "./admit-person.ts";
import type { Admission } from "../merchant-api/admit.ts";
import { withinResponseDeadline, type Arrival } from "../merchant-api/arrival.ts";
import type { ActRoute, ConsoleEndpoint, ViewRoute } from "./console-endpoint.ts";
import type { PersonOutcome } from "./people-endpoint.ts";
import { runOperation, type OperationOutcome } from "../merchant-api/run-operation.ts";

type OperationResponse = Exclude<OperationOutcome, Refusal>;

type RouteAdmission<Route> = PersonAdmission<Route>;

/** `runForPerson` runs the view or act that a person was admitted to. */
export function runForPerson(
  endpoint: ConsoleEndpoint,
  arrival: Arrival,
  admitted: PersonAdmission,
): Promise<PersonOutcome> {
  const { route } = admitted;
  return "view" in route
    ? runView(endpoint, { ...admitted, route })
    : runAct(endpoint, arrival, { ...admitted, route });
}

/** Runs a view in a read-only transaction, in the scope of one merchant (row-level security), within the console's own timeout. */
async function runView(
  endpoint: ConsoleEndpoint,
  admission: RouteAdmission<ViewRoute>,
): Promise<PersonOutcome> {
  const { client, request, route } = admission;
  const { clientId, bucket, aheadMs } = client;
  const { environment, clock, connectors } = endpoint.gateway;
  const now = new Date(clock.now().getTime() + aheadMs);
  const termsOf: Call["termsOf"] = (connector) => connectors.termsOf(connector);
  const recentCalls = endpoint.gateway.recentCalls?.list(clientId) ?? [];
  const call = { environment, clientId, bucket, now, aheadMs, termsOf, recentCalls };
  try {
    // Each view gets its own connection: a slow view must not delay another one in the same pipeline.
    const outcome = await endpoint.database.transaction([clientId], (tx) =>
      route.view.find({ tx, ...call }, request),
    );
    const record = requireCommitted(outcome);
    return isRefusal(record) ? record : { response: route.view.answer(record) };
  } catch (error) {
    if (isTimeout(error)) return consoleRefusal("VIEW_TOO_SLOW");
    throw error;
  }
}

/** Runs an act: the operation of the public API, for this person, with a row in the audit log. */
async function runAct(
  endpoint: ConsoleEndpoint,
  arrival: Arrival,
  admitted: RouteAdmission<ActRoute>,
): Promise<PersonOutcome> {
  const { gateway } = endpoint;
  const { client, route, person, body, json } = admitted;
  const { reason, request } = admitted.request as { readonly reason?: string; readonly request: object };
  const operationJson = json["request"] ?? {};
  const { operation } = route.act;
  const entry = newAuditEntry(person, {
    act: operation.path,
    subject: subjectOf(route, request) ?? client.clientId,
    clientId: client.clientId,
    reason: auditReason(reason, person.confirmed),
    after: route.route.maskRequest(operationJson) as object,
  });
  const admission: Admission = {
    client,
    keyVersion: 0,
    route: route.route,
    request,
    inStoreOnly: false,
    body,
    json: operationJson,
    requestedAt: gateway.clock.now(),
    idle: arrival.slot.idle,
    person: {
      organisation: person.organisation,
      async audit(tx, result) {
        await auditAct(tx, operation, entry, result);
        if (route.permission === "payments.refund") await checkDailyRefunds(tx, endpoint, person, request);
      },
    },
  };
  try {
    const ran = await withinResponseDeadline(arrival, runOperation(gateway, admission));
    // `find` replaces the negative cache entry, so that the client can send requests as soon as the person gets the
    // response.
    if (route.act.createsClient) await gateway.clients.find(client.clientId);
    return "refused" in ran ? ran : maskForPeople(ran, route);
  } catch (error) {
    if (error instanceof DailyLimitExceeded) return consoleRefusal("APPROVAL_NEEDED", error.message);
    if (!(error instanceof TooManyWaiting)) throw error;
    const retryAfterSeconds = error.retryAfterMs / 1000;
    return { ...consoleRefusal("REQUEST_TRAFFIC_EXCEED_LIMIT"), retryAfterSeconds };
  }
}

/** Rolls back a refund that needs approval because of the person's earlier refunds on the same day. */
class DailyLimitExceeded extends Error {
  constructor() {
    super("With this refund you exceed what you may refund per day without approval.");
  }
}

/** Compares the person's refunds of the accounting day, including this one, with the limit of the approval rule. */
async function checkDailyRefunds(
  tx: Tx,
  { approvalRules, gateway }: ConsoleEndpoint,
  { sub: personId, clientIds, confirmed }: PersonToken,
  request: object,
): Promise<void> {
  const limit = dailyRefundLimit(approvalRules, request);
  if (!limit || confirmed) return;
  const since = startOfAccountingDay(accountingDayOf(gateway.clock.now()));
  const { currency } = limit;
  if ((await sumPersonRefunds(tx, { personId, clientIds, currency, since })) > limit.minor)
    throw new DailyLimitExceeded();
}

/** Removes secrets of a merchant that its own system receives, but people do not. */
function maskForPeople(
  { response }: OperationResponse,
  { route: { maskAnswer } }: ActRoute,
): OperationResponse {
  if (!maskAnswer) return { response };
  const { code, ...fields } = response;
  return { response: { ...(maskAnswer(fields) as object), code } };
}

/** Writes an act to the audit log: with the changes that the operation reports, otherwise with the request. */
async function auditAct(tx: Tx, operation: Operation, entry: NewAudit, result: object): Promise<void> {
  if (!("change" in operation && operation.auditedChange)) return insertAudit(tx, entry);
  const after = operation.auditedChange(result);
  if (after) await insertAudit(tx, { ...entry, after });
}

function subjectOf({ act }: ActRoute, request: object): string | undefined {
  if (act.subjectFields.length === 0) return undefined;
  const ids = act.subjectFields.map((field) => (request as Readonly<Record<string, unknown>>)[field]);
  const subject = ids.find((value) => typeof value === "string");
  return subject ?? "several";
}

function newAuditEntry({ sub, role }: PersonToken, entry: Omit<NewAudit, "actor">): NewAudit {
  return { actor: { kind: "person", name: sub, role }, ...entry };
}
