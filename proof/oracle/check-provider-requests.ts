import type { DatabaseState } from "./database-state.ts";
import { newFinding, type OracleInput, type Finding } from "./finding.ts";
import type { InjectedFault, History } from "./history.ts";

/**
 * The gateway must call even a provider that must not be retried once. So the provider received each failed record,
 * unless a fault during the record's life prevented it. A payment that ended after its expiry is no finding.
 */
export function findUnsentFailures({
  databaseState,
  journal,
  history,
  startedAtEpochMs,
}: OracleInput): Finding[] {
  if (startedAtEpochMs === undefined) return [];
  const { payments, refunds, captures, reversals } = databaseState;
  const faults = history.faults.filter(affectsProviders);
  const wasHindered = ({ createdAtMs, endedAtMs }: RecordLifetime): boolean =>
    faults.some(
      ({ atMs, forMs }) =>
        startedAtEpochMs + atMs < endedAtMs && startedAtEpochMs + atMs + forMs > createdAtMs - recoveryMs,
    );
  // The reversal of a hold is a cancel of its order.
  const paymentsWithCancel = new Set(
    payments
      .filter(({ isManual, reference = "" }) => isManual && journal.cancelCalls.has(reference))
      .map(({ paymentId }) => paymentId),
  );
  const failed = [
    ...payments
      .filter(({ expiresAtMs, endedAtMs }) => endedAtMs < expiresAtMs)
      .map((row) => ({ ...row, id: row.paymentId, recordKind: "payment" })),
    ...refunds.map((row) => ({ ...row, recordKind: "refund" })),
    ...captures.map((row) => ({ ...row, recordKind: "capture" })),
    ...reversals
      .filter(({ paymentId }) => !paymentsWithCancel.has(paymentId))
      .map((row) => ({ ...row, recordKind: "reversal" })),
  ];
  return failed
    .filter(
      ({ status, reference }) =>
        status === "FAIL" && reference !== undefined && !journal.calls.has(reference),
    )
    .filter((row) => !wasHindered(row))
    .map(({ id, recordKind }) =>
      newFinding("lost", `${recordKind} is FAIL, and was never sent to a provider that was there`, id),
    );
}

interface RecordLifetime {
  readonly createdAtMs: number;
  readonly endedAtMs: number;
}

/** A fault counts until this time after its end, because a process that was just thawed is still late. */
const recoveryMs = 2_000;

/**
 * Faults between merchants, shops and the gateway do not prevent requests to a provider, nor do faults of the other
 * provider.
 */
function affectsProviders({ target }: InjectedFault): boolean {
  return !/^merchants to serve|^provider to serve|^work to shop|^storm-provider|^gateway to provider 1/.test(
    target,
  );
}

/** After a merchant received the revocation of a consent, no later request is paid with it. */
export function findPaymentsAfterRevocation({ history, databaseState, journal }: OracleInput): Finding[] {
  const revokedAtMs = readRevocations(history);
  const references = indexReferences(databaseState);
  return history.tokenPayments
    .filter(({ consent, sentAtMs }) => sentAtMs > (revokedAtMs.get(consent) ?? Infinity))
    .flatMap(({ clientId, requestId }) => {
      const reference = references.get(`${clientId} ${requestId}`);
      const isPaid =
        reference !== undefined && (journal.paid.has(reference) || journal.authorized.has(reference));
      return isPaid
        ? [newFinding("unbalanced", "was paid after its consent had been revoked", requestId, reference)]
        : [];
    });
}

function readRevocations({ answers }: History): ReadonlyMap<string, number> {
  const revokedAtMs = new Map<string, number>();
  for (const { verb, consent, resultStatus, resultCode, answeredAtMs } of answers) {
    const isRevoked = resultStatus === "S" || resultCode === "INVALID_ACCESS_TOKEN";
    if (verb !== "revoke" || consent === undefined || !isRevoked) continue;
    revokedAtMs.set(consent, Math.min(answeredAtMs, revokedAtMs.get(consent) ?? Infinity));
  }
  return revokedAtMs;
}

function indexReferences({ payments }: DatabaseState): ReadonlyMap<string, string | undefined> {
  return new Map(
    payments.map(({ clientId, paymentRequestId, reference }) => [
      `${clientId} ${paymentRequestId}`,
      reference,
    ]),
  );
}
