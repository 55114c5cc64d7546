import type { DisputeRow, Evidence } from "./evidence.ts";
import { finding, type Case, type Finding } from "./finding.ts";
import type { Movement, Truth } from "./truth.ts";

/** I6: the ledger sums to zero, and agrees with the provider's journal about every payment. */
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
    if (debit.startsWith("provider receivable")) add(ours, key, minor);
    if (credit.startsWith("provider receivable")) add(ours, key, -minor);
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
    ...feesAreRight(evidence),
    ...noNegativeBalances(evidence, sums),
    ...nothingStaysReserved(evidence),
    ...evidence.breaks.map(({ kind, reference, paymentId }) =>
      finding("unbalanced", `match finds a break: ${kind}`, reference, paymentId ?? ""),
    ),
  ];
}

function differences(ours: ReadonlyMap<string, bigint>, theirs: ReadonlyMap<string, bigint>): Finding[] {
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((key) => (ours.get(key) ?? 0n) !== (theirs.get(key) ?? 0n))
    .map((key) =>
      finding(
        "unbalanced",
        `our ledger has ${ours.get(key) ?? 0n}, the provider ${theirs.get(key) ?? 0n}`,
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

/** The frozen amounts in the ledger equal those of open disputes. */
function frozenIsExplained(sums: ReadonlyMap<string, bigint>, disputes: readonly DisputeRow[]): Finding[] {
  const frozen = [...sums].filter(([account]) => account.startsWith("merchant frozen"));
  const inLedger = frozen.reduce((sum, [, minor]) => sum - minor, 0n);
  const held = disputes.reduce((sum, { frozenMinor }) => sum + frozenMinor, 0n);
  const overs = disputes.filter(({ isOver, frozenMinor }) => isOver && frozenMinor !== 0n);
  return [
    ...(inLedger === held
      ? []
      : [finding("unbalanced", `${inLedger} is frozen, and disputes hold ${held}`, "frozen")]),
    ...overs.map(({ id }) => finding("unbalanced", "is final, and still holds money", id)),
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
    .map(([paymentId]) => finding("unbalanced", "more was refunded than captured", paymentId));
}

/**
 * The fee is charged when a payment is paid, and for an authorization hold at each capture. A cancel returns the fee,
 * and a refund does not.
 */
function feesAreRight({ payments, captures, transfers }: Evidence): Finding[] {
  const paid = new Map<string, bigint>();
  const paymentOf = new Map(captures.map(({ id, paymentId }) => [id, paymentId]));
  for (const { subjectId, debit, credit, minor } of transfers) {
    const paymentId = paymentOf.get(subjectId) ?? subjectId;
    if (credit === feeRevenue) paid.set(paymentId, (paid.get(paymentId) ?? 0n) + minor);
    if (debit === feeRevenue) paid.set(paymentId, (paid.get(paymentId) ?? 0n) - minor);
  }
  const captured = Map.groupBy(
    captures.filter(({ status }) => status === "SUCCESS"),
    ({ paymentId }) => paymentId,
  );
  return payments.flatMap(({ paymentId, isManual, status, paidMinor, feeBasisPoints }) => {
    const feeOf = (minor: bigint): bigint => (minor * BigInt(feeBasisPoints)) / 10_000n;
    const held = (captured.get(paymentId) ?? []).reduce((sum, { minor }) => sum + feeOf(minor), 0n);
    const due = isManual ? held : status === "SUCCESS" ? feeOf(paidMinor) : 0n;
    const is = paid.get(paymentId) ?? 0n;
    return is === due ? [] : [finding("unbalanced", `its fee is ${is}, and should be ${due}`, paymentId)];
  });
}

const feeRevenue = "fee revenue";

/** Only a dispute may make a merchant's balance negative. */
function noNegativeBalances({ payments, disputes }: Evidence, sums: ReadonlyMap<string, bigint>): Finding[] {
  const clientOf = new Map(payments.map(({ paymentId, clientId }) => [paymentId, clientId]));
  const disputed = new Set(disputes.map(({ paymentId }) => clientOf.get(paymentId)));
  return [...sums]
    .filter(([account, minor]) => account.startsWith(payable) && minor > 0n)
    .filter(([account]) => !disputed.has(account.slice(payable.length, -4)))
    .map(([account, minor]) =>
      finding("unbalanced", `its merchant has refunded ${minor} more than its balance`, account),
    );
}

const payable = "merchant payable ";

/** Only open refunds and cancels may have a reserve. The reserve of a finished one would never be released. */
function nothingStaysReserved({ reserves, refunds, reversals }: Evidence): Finding[] {
  const open = [...refunds, ...reversals].filter(({ status }) => status === "PROCESSING");
  const isOpen = (clientId: string, currency: string): boolean =>
    open.some((part) => part.clientId === clientId && part.currency === currency);
  return reserves
    .filter(({ clientId, currency, minor }) => minor !== 0n && !isOpen(clientId, currency))
    .map(({ clientId, currency, minor }) =>
      finding("unbalanced", `${minor} is still reserved, and nothing is open`, clientId, currency),
    );
}
