import type { Evidence } from "./evidence.ts";
import { finding, type Case, type Finding } from "./finding.ts";
import type { FaultSeen, History } from "./history.ts";

/**
 * The gateway must call even a provider that must not be retried once. So the provider received each failed record,
 * unless a fault during the record's life prevented it. A payment that ended after its expiry is no finding.
 */
export function nothingFailedUnsent({ evidence, truth, history, startedAtEpochMs }: Case): Finding[] {
  if (startedAtEpochMs === undefined) return [];
  const { payments, refunds, captures, reversals } = evidence;
  const faults = history.faults.filter(isInTheWay);
  const isHindered = ({ createdAtMs, endedAtMs }: Lived): boolean =>
    faults.some(
      ({ atMs, forMs }) =>
        startedAtEpochMs + atMs < endedAtMs && startedAtEpochMs + atMs + forMs > createdAtMs - beforeMs,
    );
  const failed = [
    ...payments
      .filter(({ expiresAtMs, endedAtMs }) => endedAtMs < expiresAtMs)
      .map((row) => ({ ...row, id: row.paymentId, what: "payment" })),
    ...refunds.map((row) => ({ ...row, what: "refund" })),
    ...captures.map((row) => ({ ...row, what: "capture" })),
    ...reversals.map((row) => ({ ...row, what: "reversal" })),
  ];
  return failed
    .filter(
      ({ status, reference }) => status === "FAIL" && reference !== undefined && !truth.calls.has(reference),
    )
    .filter((row) => !isHindered(row))
    .map(({ id, what }) =>
      finding("lost", `${what} is FAIL, and was never sent to a provider that was there`, id),
    );
}

interface Lived {
  readonly createdAtMs: number;
  readonly endedAtMs: number;
}

/** A fault counts until this time after its end, because a process that was just thawed is still late. */
const beforeMs = 2_000;

/**
 * Faults between merchants, shops and the gateway do not prevent requests to a provider, nor do faults of the other
 * provider.
 */
function isInTheWay({ target }: FaultSeen): boolean {
  return !/^merchants to serve|^provider to serve|^work to shop|^storm-provider|^gateway to provider 1/.test(
    target,
  );
}

/** After a merchant received the revocation of a consent, no later request is paid with it. */
export function nothingPaidAfterRevoke({ history, evidence, truth }: Case): Finding[] {
  const revokedAtMs = revocations(history);
  const references = referencesOf(evidence);
  return history.spendings
    .filter(({ consent, sentAtMs }) => sentAtMs > (revokedAtMs.get(consent) ?? Infinity))
    .flatMap(({ clientId, requestId }) => {
      const reference = references.get(`${clientId} ${requestId}`);
      const isPaid =
        reference !== undefined && (truth.paid.has(reference) || truth.authorized.has(reference));
      return isPaid
        ? [finding("unbalanced", "was paid after its consent had been revoked", requestId, reference)]
        : [];
    });
}

function revocations({ answers }: History): ReadonlyMap<string, number> {
  const revokedAtMs = new Map<string, number>();
  for (const { verb, consent, resultStatus, resultCode, answeredAtMs } of answers) {
    const isOver = resultStatus === "S" || resultCode === "INVALID_ACCESS_TOKEN";
    if (verb !== "revoke" || consent === undefined || !isOver) continue;
    revokedAtMs.set(consent, Math.min(answeredAtMs, revokedAtMs.get(consent) ?? Infinity));
  }
  return revokedAtMs;
}

function referencesOf({ payments }: Evidence): ReadonlyMap<string, string | undefined> {
  return new Map(
    payments.map(({ clientId, paymentRequestId, reference }) => [
      `${clientId} ${paymentRequestId}`,
      reference,
    ]),
  );
}
