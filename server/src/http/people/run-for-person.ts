import type { Call, Operation } from "../../contract/operation.ts";
import { insertAudit } from "../../audit/audit.sql.ts";
import type { NewAudit } from "../../audit/audit.ts";
import { isRefusal, type Refusal } from "../../core/result.ts";
import { turnDown } from "../../people/console-result.ts";
import type { PersonToken } from "../../people/person-token.ts";
import { dailyRefundLimit, auditReason } from "../../people/approval-rules.ts";
import { accountingDayOf, startOfAccountingDay } from "../../core/accounting-day.ts";
import { sumPersonRefunds } from "../../refunds/refund-limit.sql.ts";
import { tookTooLong } from "../../postgres/database-error.ts";
import { committed } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { TooManyWaiting } from "../../postgres/merchant-queue.ts";
import type { PersonAdmission } from "./admit-person.ts";
import type { Admission } from "../merchant-api/admit.ts";
import { inAnswerTime, type Arrival } from "../merchant-api/arrival.ts";
import type { ActRoute, ConsoleEndpoint, ViewRoute } from "./console-endpoint.ts";
import type { PersonRan } from "./people-endpoint.ts";
import { runOperation, type Ran } from "../merchant-api/run-operation.ts";

type Answered = Exclude<Ran, Refusal>;

type For<Route> = PersonAdmission<Route>;

/** `runForPerson` runs the view or act that a person was admitted to. */
export function runForPerson(
  door: ConsoleEndpoint,
  arrival: Arrival,
  admitted: PersonAdmission,
): Promise<PersonRan> {
  const { route } = admitted;
  return "view" in route
    ? runView(door, { ...admitted, route })
    : runAct(door, arrival, { ...admitted, route });
}

/** Runs a view in a read-only transaction, in the scope of one merchant (row-level security), within the console's own timeout. */
async function runView(door: ConsoleEndpoint, admission: For<ViewRoute>): Promise<PersonRan> {
  const { client, request, route } = admission;
  const { clientId, bucket, aheadMs } = client;
  const { environment, clock, connectors } = door.gateway;
  const now = new Date(clock.now().getTime() + aheadMs);
  const termsOf: Call["termsOf"] = (connector) => connectors.termsOf(connector);
  const recentCalls = door.gateway.recentCalls?.of(clientId) ?? [];
  const call = { environment, clientId, bucket, now, aheadMs, termsOf, recentCalls };
  try {
    // Each view gets its own connection: a slow view must not delay another one in the same pipeline.
    const found = await door.database.transaction([clientId], (tx) =>
      route.view.find({ tx, ...call }, request),
    );
    const record = committed(found);
    return isRefusal(record) ? record : { answered: route.view.answer(record) };
  } catch (error) {
    if (tookTooLong(error)) return turnDown("VIEW_TOO_SLOW");
    throw error;
  }
}

/** Runs an act: the operation of the public API, for this person, with a row in the audit log. */
async function runAct(door: ConsoleEndpoint, arrival: Arrival, asked: For<ActRoute>): Promise<PersonRan> {
  const { gateway } = door;
  const { client, route, person, body, json } = asked;
  const { reason, request } = asked.request as { readonly reason?: string; readonly request: object };
  const operationJson = json["request"] ?? {};
  const { operation } = route.act;
  const entry = entryOf(person, {
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
    idle: arrival.visit.idle,
    person: {
      organisation: person.organisation,
      async audit(tx, done) {
        await auditAct(tx, operation, entry, done);
        if (route.permission === "payments.refund") await checkDailyRefunds(tx, door, person, request);
      },
    },
  };
  try {
    const ran = await inAnswerTime(arrival, runOperation(gateway, admission));
    // `find` replaces the negative cache entry, so that the client can send requests as soon as the person gets the
    // response.
    if (route.act.opensClient) await gateway.clients.find(client.clientId);
    return "refused" in ran ? ran : shownToPeople(ran, route);
  } catch (error) {
    if (error instanceof DailyLimitExceeded) return turnDown("APPROVAL_NEEDED", error.message);
    if (!(error instanceof TooManyWaiting)) throw error;
    const retryAfterSeconds = error.retryAfterMs / 1000;
    return { ...turnDown("REQUEST_TRAFFIC_EXCEED_LIMIT"), retryAfterSeconds };
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
  { secondPerson, gateway }: ConsoleEndpoint,
  { sub: personId, clientIds, confirmed }: PersonToken,
  request: object,
): Promise<void> {
  const limit = dailyRefundLimit(secondPerson, request);
  if (!limit || confirmed) return;
  const since = startOfAccountingDay(accountingDayOf(gateway.clock.now()));
  const { currency } = limit;
  if ((await sumPersonRefunds(tx, { personId, clientIds, currency, since })) > limit.minor)
    throw new DailyLimitExceeded();
}

/** Removes secrets of a merchant that its own system receives, but people do not. */
function shownToPeople({ answered }: Answered, { route: { maskAnswer } }: ActRoute): Answered {
  if (!maskAnswer) return { answered };
  const { code, ...fields } = answered;
  return { answered: { ...(maskAnswer(fields) as object), code } };
}

/** Writes an act to the audit log: with the changes that the operation reports, otherwise with the request. */
async function auditAct(tx: Tx, operation: Operation, entry: NewAudit, done: object): Promise<void> {
  if (!("change" in operation && operation.changed)) return insertAudit(tx, entry);
  const after = operation.changed(done);
  if (after) await insertAudit(tx, { ...entry, after });
}

function subjectOf({ act }: ActRoute, request: object): string | undefined {
  if (act.about.length === 0) return undefined;
  const named = act.about.map((field) => (request as Readonly<Record<string, unknown>>)[field]);
  const subject = named.find((value) => typeof value === "string");
  return subject ?? "several";
}

function entryOf({ sub, role }: PersonToken, what: Omit<NewAudit, "actor">): NewAudit {
  return { actor: { kind: "person", name: sub, role }, ...what };
}
