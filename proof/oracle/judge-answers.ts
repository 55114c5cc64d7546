import { finding, type Case, type Finding } from "./finding.ts";
import { verbs, type Answer, type History } from "./history.ts";

/** The ids and the state that a response or a webhook states about a record. */
interface Claim {
  readonly id: string;
  readonly requestId: string | undefined;
  readonly clientId: string;
  readonly claim: string;
  readonly fits: (status: string) => boolean;
}

/** I2: durability. Every acknowledged record is in the database at the end, with the same ids. */
export function nothingAcknowledgedIsLost({ history, evidence }: Case): Finding[] {
  const records = new Map<
    string,
    { readonly requestId: string; readonly clientId: string; readonly status: string }
  >();
  for (const row of evidence.payments)
    records.set(row.paymentId, { ...row, requestId: row.paymentRequestId });
  for (const row of [...evidence.refunds, ...evidence.captures]) records.set(row.id, row);

  const found = new Map<string, Finding>();
  for (const claim of [...history.answers.flatMap(claimOf), ...history.notifications.flatMap(claimToldOf)]) {
    const record = records.get(claim.id);
    const problem = problemWith(claim, record);
    if (problem)
      found.set(`${claim.id} ${problem}`, finding("lost", problem, claim.id, claim.requestId ?? ""));
  }
  return [...found.values()];
}

function problemWith(
  { claim, requestId, clientId, fits }: Claim,
  record: { readonly requestId: string; readonly clientId: string; readonly status: string } | undefined,
): string | undefined {
  if (!record) return `was reported as ${claim}, and does not exist`;
  if (record.clientId !== clientId) return "was reported to another merchant";
  if (requestId !== undefined && record.requestId !== requestId) return "was reported for another request id";
  return fits(record.status) ? undefined : `was reported as ${claim}, and is ${record.status}`;
}

function claimOf(answer: Answer): Claim[] {
  const { id, requestId, clientId } = answer;
  if (id === undefined) return [];
  const claim = claimedStatus(answer);
  return [
    { id, requestId, clientId, claim: claim ?? "accepted", fits: (status) => canFollow(claim, status) },
  ];
}

function claimToldOf({
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
  return [{ id, requestId: undefined, clientId, claim, fits: (status) => canFollow(claim, status) }];
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
export function answersAgree({ history }: Case): Finding[] {
  const groups = Map.groupBy(history.answers, ({ verb, clientId, requestId }) =>
    [verbs[verb].record, clientId, requestId].join(" "),
  );
  return [...groups.values()].flatMap((answers) => {
    const requestId = answers[0]?.requestId ?? "";
    const ids = [...new Set(answers.flatMap(({ id }) => (id === undefined ? [] : [id])))];
    if (ids.length > 1) return [finding("doubled", "one request id has several records", requestId, ...ids)];
    return backwards(answers).map((what) => finding("lost", what, requestId, ...ids));
  });
}

/** Monotonic reads: after a response with a final state has arrived, no later request may get an earlier state. */
function backwards(answers: readonly Answer[]): string[] {
  const finals = answers.filter((answer) => answer.id !== undefined && claimedStatus(answer) !== undefined);
  return finals
    .flatMap((final) => {
      const claimed = claimedStatus(final);
      const later = answers.find(
        (answer) =>
          answer.id !== undefined &&
          answer.sentAtMs > final.answeredAtMs &&
          answer.verb !== "cancel" &&
          answer.verb !== "createPaymentSession" &&
          !canFollow(claimed, claimedStatus(answer) ?? "not final"),
      );
      return later ? [`was reported as ${claimed}, and later as ${claimedStatus(later) ?? "not final"}`] : [];
    })
    .slice(0, 1);
}
