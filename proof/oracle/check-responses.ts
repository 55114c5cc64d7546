import { newFinding, type OracleInput, type Finding } from "./finding.ts";
import { verbs, type Answer, type History } from "./history.ts";

/** The ids and the state that a response or a webhook states about a record. */
interface Claim {
  readonly id: string;
  readonly requestId: string | undefined;
  readonly clientId: string;
  readonly state: string;
  readonly canHaveStatus: (status: string) => boolean;
}

/** I2: durability. Every acknowledged record is in the database at the end, with the same ids. */
export function findLostRecords({ history, databaseState }: OracleInput): Finding[] {
  const records = new Map<
    string,
    { readonly requestId: string; readonly clientId: string; readonly status: string }
  >();
  for (const row of databaseState.payments)
    records.set(row.paymentId, { ...row, requestId: row.paymentRequestId });
  for (const row of [...databaseState.refunds, ...databaseState.captures]) records.set(row.id, row);
  const reversed = readReversed(databaseState);

  const findings = new Map<string, Finding>();
  for (const claim of [
    ...history.answers.flatMap(claimOfResponse),
    ...history.notifications.flatMap(claimOfWebhook),
  ]) {
    const record = records.get(claim.id);
    const problem = findProblem(claim, record, reversed);
    if (problem)
      findings.set(`${claim.id} ${problem}`, newFinding("lost", problem, claim.id, claim.requestId ?? ""));
  }
  return [...findings.values()];
}

/** The ids of refunds that failed after they had succeeded. */
function readReversed({ refunds }: OracleInput["databaseState"]): ReadonlySet<string> {
  return new Set(refunds.filter(({ reversedAtMs }) => reversedAtMs < Infinity).map(({ id }) => id));
}

function findProblem(
  { id, state: claim, requestId, clientId, canHaveStatus }: Claim,
  record: { readonly requestId: string; readonly clientId: string; readonly status: string } | undefined,
  reversed: ReadonlySet<string>,
): string | undefined {
  if (!record) return `was reported as ${claim}, and does not exist`;
  if (record.clientId !== clientId) return "was reported to another merchant";
  if (requestId !== undefined && record.requestId !== requestId) return "was reported for another request id";
  const isReversed = reversed.has(id) && claim === "SUCCESS" && record.status === "FAIL";
  return isReversed || canHaveStatus(record.status)
    ? undefined
    : `was reported as ${claim}, and is ${record.status}`;
}

function claimOfResponse(answer: Answer): Claim[] {
  const { id, requestId, clientId } = answer;
  if (id === undefined) return [];
  const claim = claimedStatus(answer);
  return [
    {
      id,
      requestId,
      clientId,
      state: claim ?? "accepted",
      canHaveStatus: (status) => canFollow(claim, status),
    },
  ];
}

function claimOfWebhook({
  notifyType,
  resultStatus,
  clientId,
  paymentId,
  refundId,
  captureId,
}: History["notifications"][number]): Claim[] {
  const id = { PAYMENT_RESULT: paymentId, REFUND_RESULT: refundId, CAPTURE_RESULT: captureId }[notifyType];
  if (id === undefined) return [];
  const claim = resultStatus === "S" ? "SUCCESS" : "FAIL";
  return [
    { id, requestId: undefined, clientId, state: claim, canHaveStatus: (status) => canFollow(claim, status) },
  ];
}

/** The final state in a response, or undefined if it states none. */
function claimedStatus({ verb, resultStatus, resultCode, recordStatus }: Answer): string | undefined {
  if (verb === "inquiryPayment" || verb === "inquiryRefund")
    return recordStatus === "PROCESSING" || recordStatus === "PENDING" ? undefined : recordStatus;
  if (verb === "cancel") return resultStatus === "S" ? "CANCELLED" : undefined;
  if (verb === "createPaymentSession") return undefined;
  // A success with the status PROCESSING means that the point of sale has its code and the payment is not paid yet.
  if (resultStatus === "S") return recordStatus === "PROCESSING" ? undefined : "SUCCESS";
  if (resultStatus !== "F") return undefined;
  return resultCode === "ORDER_IS_CANCELED" ? "CANCELLED" : "FAIL";
}

/** A success is the only final state that can change: a cancel turns it into CANCELLED. */
function canFollow(claimed: string | undefined, status: string): boolean {
  if (claimed === undefined) return true;
  return status === claimed || (claimed === "SUCCESS" && status === "CANCELLED");
}

/** I3: idempotency. All responses for one request id identify one record, and none contradicts a final state. */
export function findInconsistentResponses({ history, databaseState }: OracleInput): Finding[] {
  const reversed = readReversed(databaseState);
  const groups = Map.groupBy(history.answers, ({ verb, clientId, requestId }) =>
    [verbs[verb].record, clientId, requestId].join(" "),
  );
  return [...groups.values()].flatMap((answers) => {
    const requestId = answers[0]?.requestId ?? "";
    const ids = [...new Set(answers.flatMap(({ id }) => (id === undefined ? [] : [id])))];
    if (ids.length > 1)
      return [newFinding("doubled", "one request id has several records", requestId, ...ids)];
    return findBackwardReads(answers, reversed).map((description) =>
      newFinding("lost", description, requestId, ...ids),
    );
  });
}

/**
 * Monotonic reads: after a response with a final state has arrived, no later request may get an earlier state. Only a
 * refund that the provider failed afterwards may change from SUCCESS to FAIL.
 */
function findBackwardReads(answers: readonly Answer[], reversed: ReadonlySet<string>): string[] {
  const finalAnswers = answers.filter(
    (answer) => answer.id !== undefined && claimedStatus(answer) !== undefined,
  );
  return finalAnswers
    .flatMap((finalAnswer) => {
      const claimed = claimedStatus(finalAnswer);
      const later = answers.find(
        (answer) =>
          answer.id !== undefined &&
          answer.sentAtMs > finalAnswer.answeredAtMs &&
          answer.verb !== "cancel" &&
          answer.verb !== "createPaymentSession" &&
          !canFollow(claimed, claimedStatus(answer) ?? "not final") &&
          !(reversed.has(answer.id) && claimed === "SUCCESS" && claimedStatus(answer) === "FAIL"),
      );
      return later ? [`was reported as ${claimed}, and later as ${claimedStatus(later) ?? "not final"}`] : [];
    })
    .slice(0, 1);
}
