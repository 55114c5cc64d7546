import type { DisputeRow, Evidence, PartRow, PaymentRow } from "./evidence.ts";
import type { Answer, History, Verb } from "./history.ts";
import type { Movement, Truth } from "./truth.ts";

/** What must never be: each is one of the promises, broken for one record. */
export interface Finding {
  readonly kind: "lost" | "doubled" | "unbalanced" | "stuck" | "broken";
  /** What was found, for people. */
  readonly what: string;
  /** The ids of what it is about. */
  readonly ids: readonly string[];
}

/** Everything that is judged. */
export interface Case {
  readonly history: History;
  readonly evidence: Evidence;
  readonly truth: Truth;
  /** Processes that ended although nobody had killed them. */
  readonly ownEndings: readonly string[];
  readonly suspiciousLines: readonly string[];
}

/** Compares what merchants were told, what the database holds and what the wallet did. */
export function judge(given: Case): readonly Finding[] {
  return [
    ...effectsHappenedOnce(given),
    ...effectsAreExplained(given),
    ...nothingAcknowledgedIsLost(given),
    ...answersAgree(given),
    ...everythingIsFinal(given),
    ...merchantsWereTold(given),
    ...booksBalance(given),
    ...processesHeld(given),
  ];
}

/** I1: an order is opened, paid, captured or refunded at most once for each reference. */
export function effectsHappenedOnce({ truth }: Case): Finding[] {
  const openedTwice = [...truth.openings].filter(([, times]) => times > 1);
  const twice = (what: string, all: Truth["paid"]): Finding[] =>
    [...all]
      .filter(([, movements]) => movements.length > 1)
      .map(([reference, movements]) =>
        finding("doubled", `${what} ${movements.length} times`, reference, movements[0]?.paymentId ?? ""),
      );
  return [
    ...openedTwice.map(([paymentId, times]) => finding("doubled", `opened ${times} times`, paymentId)),
    ...twice("paid", truth.paid),
    ...twice("authorized", truth.authorized),
    ...twice("captured", truth.captured),
    ...twice("refunded", truth.refunded),
    ...twice("disputed", truth.disputed),
  ];
}

/** I1, the other way round: what the database calls done was done, and what was done is in the database. */
export function effectsAreExplained({ evidence, truth }: Case): Finding[] {
  const { payments, refunds, captures, reversals } = evidence;
  const held = new Set(payments.filter(({ isManual }) => isManual).map(({ paymentId }) => paymentId));
  // What was only held does not have to be refunded: the wallet lets it go.
  const returned = reversals.filter(({ paymentId }) => !held.has(paymentId));
  const reversed = new Set(
    reversals.filter(({ status }) => status === "SUCCESS").map(({ paymentId }) => paymentId),
  );
  return [
    ...payments.flatMap((payment) => paymentIsExplained(payment, truth, reversed)),
    ...partsAreExplained("captured", captures, truth.captured),
    ...partsAreExplained("refunded", [...refunds, ...returned], truth.refunded),
    ...disputesAreExplained(evidence.disputes, truth.disputed),
  ];
}

function paymentIsExplained(payment: PaymentRow, truth: Truth, reversed: ReadonlySet<string>): Finding[] {
  const { paymentId, reference, status, isManual } = payment;
  if (reference === undefined) return [];
  const isTaken = (isManual ? truth.authorized : truth.paid).has(reference);
  if (status === "SUCCESS" && !isTaken)
    return [finding("lost", "is SUCCESS, but the wallet was never paid", paymentId, reference)];
  if (status !== "FAIL" && status !== "CANCELLED") return [];
  if (isManual && truth.lastChange.get(reference) === "authorized")
    return [finding("unbalanced", `is ${status}, but the buyer's money is still held`, paymentId, reference)];
  if (!isManual && isTaken && !reversed.has(paymentId))
    return [finding("unbalanced", `is ${status}, but the buyer has paid`, paymentId, reference)];
  return [];
}

function partsAreExplained(what: string, rows: readonly PartRow[], done: Truth["paid"]): Finding[] {
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  const missing = rows
    .filter(({ status, reference }) => status === "SUCCESS" && !done.has(reference))
    .map(({ id, reference }) =>
      finding("lost", `is SUCCESS, but the wallet has never ${what} it`, id, reference),
    );
  const unexplained = [...done.keys()]
    .filter((reference) => byReference.get(reference)?.status !== "SUCCESS")
    .map((reference) => {
      const row = byReference.get(reference);
      const stands = row ? `is ${row.status} here` : "is not known here";
      return finding("unbalanced", `${what} by the wallet, but ${stands}`, reference, row?.id ?? "");
    });
  return [...missing, ...unexplained];
}

/** What a dispute has debited here is what the wallet took for it. */
function disputesAreExplained(rows: readonly DisputeRow[], taken: Truth["disputed"]): Finding[] {
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  const takenFor = (reference: string): bigint =>
    (taken.get(reference) ?? []).reduce((sum, { minor }) => sum + minor, 0n);
  return [...new Set([...byReference.keys(), ...taken.keys()])]
    .filter((reference) => (byReference.get(reference)?.debitedMinor ?? 0n) !== takenFor(reference))
    .map((reference) => {
      const debitedMinor = byReference.get(reference)?.debitedMinor ?? 0n;
      const what = `debited ${debitedMinor} for a dispute, and the wallet took ${takenFor(reference)}`;
      return finding("unbalanced", what, reference, byReference.get(reference)?.id ?? "");
    });
}

/** What an answer or a notification claims of a record, and where that record has to be. */
interface Claim {
  readonly id: string;
  readonly requestId: string | undefined;
  readonly clientId: string;
  readonly claim: string;
  readonly fits: (status: string) => boolean;
}

/** I2: whatever a merchant was told is what the database holds at the end, under the same ids. */
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
  if (!record) return `was told as ${claim}, and does not exist`;
  if (record.clientId !== clientId) return "was told to another merchant";
  if (requestId !== undefined && record.requestId !== requestId) return "was told for another request id";
  return fits(record.status) ? undefined : `was told as ${claim}, and is ${record.status}`;
}

function claimOf(answer: Answer): Claim[] {
  const { id, requestId, clientId } = answer;
  if (id === undefined) return [];
  const claim = claimedStatus(answer);
  return [{ id, requestId, clientId, claim: claim ?? "taken", fits: (status) => canFollow(claim, status) }];
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

/** The state that an answer calls final, or undefined when it calls none. */
function claimedStatus({ verb, resultStatus, resultCode, recordStatus }: Answer): string | undefined {
  if (verb === "inquiryPayment" || verb === "inquiryRefund")
    return recordStatus === "PROCESSING" || recordStatus === "PENDING" ? undefined : recordStatus;
  if (verb === "cancel") return resultStatus === "S" ? "CANCELLED" : undefined;
  if (resultStatus === "S") return "SUCCESS";
  if (resultStatus !== "F") return undefined;
  return resultCode === "ORDER_IS_CANCELED" ? "CANCELLED" : "FAIL";
}

/** Only a success can still change, by a cancel. */
function canFollow(claimed: string | undefined, status: string): boolean {
  if (claimed === undefined) return true;
  return status === claimed || (claimed === "SUCCESS" && status === "CANCELLED");
}

const recordOf: Readonly<Record<Verb, string>> = {
  pay: "payment",
  cancel: "payment",
  inquiryPayment: "payment",
  refund: "refund",
  inquiryRefund: "refund",
  capture: "capture",
};

/** I3: all answers for one request id name one record, and none goes back on what another called final. */
export function answersAgree({ history }: Case): Finding[] {
  const groups = Map.groupBy(history.answers, ({ verb, clientId, requestId }) =>
    [recordOf[verb], clientId, requestId].join(" "),
  );
  return [...groups.values()].flatMap((answers) => {
    const requestId = answers[0]?.requestId ?? "";
    const ids = [...new Set(answers.flatMap(({ id }) => (id === undefined ? [] : [id])))];
    if (ids.length > 1) return [finding("doubled", "one request id has several records", requestId, ...ids)];
    return backwards(answers).map((what) => finding("lost", what, requestId, ...ids));
  });
}

/** An answer to a question that was sent after another answer had arrived knows at least as much. */
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
          !canFollow(claimed, claimedStatus(answer) ?? "not final"),
      );
      return later ? [`was told as ${claimed}, and later as ${claimedStatus(later) ?? "not final"}`] : [];
    })
    .slice(0, 1);
}

/** I4: when everything has healed, nothing stays undecided. */
export function everythingIsFinal({ evidence, truth }: Case): Finding[] {
  const { payments, refunds, captures, reversals, notifications } = evidence;
  const open = ["PROCESSING", "PENDING", "WAITING"];
  return [
    ...payments
      .filter(({ status }) => open.includes(status))
      .map(({ paymentId, status }) => finding("stuck", `payment is ${status}`, paymentId)),
    ...[...refunds, ...captures, ...reversals]
      .filter(({ status }) => open.includes(status))
      .map(({ id, status, paymentId }) => finding("stuck", `part of a payment is ${status}`, id, paymentId)),
    ...notifications
      .filter(({ status }) => status !== "DELIVERED")
      .map(({ notificationId, status, subjectId }) =>
        finding("stuck", `notification is ${status}`, notificationId, subjectId),
      ),
    ...truth.unconfirmed.map((eventId) =>
      finding("stuck", "the wallet's callback was never confirmed", eventId),
    ),
  ];
}

/** I5: every end was told to its merchant, under the gateway's signature. */
export function merchantsWereTold({ history, evidence }: Case): Finding[] {
  const { notifications } = history;
  const key = (id: string | undefined, status: string): string => `${id ?? ""} ${status}`;
  const told = new Set(
    notifications
      .filter(({ notifyType }) => notifyType === "PAYMENT_RESULT")
      .map(({ paymentId, resultStatus }) => key(paymentId, resultStatus)),
  );
  const toldRefunds = new Set(notifications.map(({ refundId, resultStatus }) => key(refundId, resultStatus)));
  const forged = notifications.filter(({ isSigned }) => !isSigned);
  return [
    ...forged.map(({ paymentId, notifyType }) =>
      finding("broken", `${notifyType} without a valid signature`, paymentId ?? ""),
    ),
    ...evidence.payments
      .filter(({ isToBeTold, status, wasPaid }) => isToBeTold && (status !== "CANCELLED" || wasPaid))
      .filter(({ paymentId, wasPaid }) => !told.has(key(paymentId, wasPaid ? "S" : "F")))
      .map(({ paymentId, status }) =>
        finding("lost", `is ${status}, and its merchant was not told`, paymentId),
      ),
    ...evidence.refunds
      .filter(({ id, status }) => status === "SUCCESS" && !toldRefunds.has(key(id, "S")))
      .map(({ id }) => finding("lost", "refund was made, and its merchant was not told", id)),
  ];
}

/** I6: the ledger sums to zero, and says of every payment what the wallet's log says. */
export function booksBalance({ evidence, truth }: Case): Finding[] {
  const { transfers, refunds, captures, reversals, disputes } = evidence;
  const paymentOf = new Map(
    [...refunds, ...captures, ...reversals, ...disputes].map(({ id, paymentId }) => [id, paymentId]),
  );
  const ours = new Map<string, bigint>();
  const sums = new Map<string, bigint>();
  const add = (map: Map<string, bigint>, key: string, minor: bigint): void =>
    void map.set(key, (map.get(key) ?? 0n) + minor);
  for (const { subjectId, debit, credit, currency, minor } of transfers) {
    const key = `${paymentOf.get(subjectId) ?? subjectId} ${currency}`;
    if (debit.startsWith("wallet receivable")) add(ours, key, minor);
    if (credit.startsWith("wallet receivable")) add(ours, key, -minor);
    add(sums, `${debit} ${currency}`, minor);
    add(sums, `${credit} ${currency}`, -minor);
  }
  const theirs = new Map<string, bigint>();
  const move = (all: Truth["paid"], sign: bigint): void => {
    for (const { paymentId, currency, minor } of [...all.values()].flat())
      add(theirs, `${paymentId} ${currency}`, sign * minor);
  };
  move(truth.paid, 1n);
  move(truth.captured, 1n);
  move(truth.refunded, -1n);
  move(truth.disputed, -1n);
  return [
    ...differences(ours, theirs),
    ...sumIsZero(sums),
    ...refundsAreCovered(truth),
    ...frozenIsExplained(sums, disputes),
  ];
}

function differences(ours: ReadonlyMap<string, bigint>, theirs: ReadonlyMap<string, bigint>): Finding[] {
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((key) => (ours.get(key) ?? 0n) !== (theirs.get(key) ?? 0n))
    .map((key) =>
      finding(
        "unbalanced",
        `our ledger says ${ours.get(key) ?? 0n}, the wallet ${theirs.get(key) ?? 0n}`,
        key,
      ),
    );
}

function sumIsZero(sums: ReadonlyMap<string, bigint>): Finding[] {
  const byCurrency = Map.groupBy(sums, ([account]) => account.slice(-3));
  return [...byCurrency]
    .filter(([, accounts]) => accounts.reduce((sum, [, minor]) => sum + minor, 0n) !== 0n)
    .map(([currency]) => finding("unbalanced", "the ledger does not sum to zero", currency));
}

/** What is frozen in the ledger is what open disputes hold. */
function frozenIsExplained(sums: ReadonlyMap<string, bigint>, disputes: readonly DisputeRow[]): Finding[] {
  const frozen = [...sums].filter(([account]) => account.startsWith("merchant frozen"));
  const inLedger = frozen.reduce((sum, [, minor]) => sum - minor, 0n);
  const held = disputes.reduce((sum, { frozenMinor }) => sum + frozenMinor, 0n);
  const overs = disputes.filter(({ isOver, frozenMinor }) => isOver && frozenMinor !== 0n);
  return [
    ...(inLedger === held
      ? []
      : [finding("unbalanced", `${inLedger} is frozen, and disputes hold ${held}`, "frozen")]),
    ...overs.map(({ id }) => finding("unbalanced", "is over, and holds money still", id)),
  ];
}

function refundsAreCovered({ paid, captured, refunded, disputed }: Truth): Finding[] {
  const sums = (...all: readonly Truth["paid"][]): Map<string, bigint> =>
    all
      .flatMap((each) => [...each.values()].flat())
      .reduce(
        (map, { paymentId, minor }: Movement) => map.set(paymentId, (map.get(paymentId) ?? 0n) + minor),
        new Map<string, bigint>(),
      );
  const taken = sums(paid, captured);
  return [...sums(refunded, disputed)]
    .filter(([paymentId, minor]) => minor > (taken.get(paymentId) ?? 0n))
    .map(([paymentId]) => finding("unbalanced", "more was refunded than was taken", paymentId));
}

/** I10 and I11: no process ended by itself, no answer was HTTP 5xx or unsigned, no log speaks of a bug. */
export function processesHeld({ history, ownEndings, suspiciousLines }: Case): Finding[] {
  return [
    ...ownEndings.map((ending) => finding("broken", "ended by itself", ending)),
    ...suspiciousLines.map((line) => finding("broken", "the log speaks of a bug", line)),
    ...history.answers
      .filter(({ httpStatus }) => httpStatus >= 500)
      .map(({ httpStatus, requestId }) => finding("broken", `answered HTTP ${httpStatus}`, requestId)),
    ...history.answers
      .filter(({ id, isSigned }) => id !== undefined && !isSigned)
      .map(({ requestId }) => finding("broken", "answered without a valid signature", requestId)),
  ];
}

function finding(kind: Finding["kind"], what: string, ...ids: readonly string[]): Finding {
  return { kind, what, ids: ids.filter(Boolean) };
}
