import type { DatabaseState, DisputeRow, PaymentOperationRow } from "./database-state.ts";
import { newFinding, type OracleInput, type Finding } from "./finding.ts";
import type { Movement, ProviderJournal } from "./provider-journal.ts";

/** I6: the ledger sums to zero, and agrees with the provider's journal about every payment. */
export function findLedgerDifferences({ databaseState, journal }: OracleInput): Finding[] {
  const { transfers, refunds, captures, reversals, disputes } = databaseState;
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
  const addMovements = (all: ProviderJournal["paid"], sign: bigint): void => {
    for (const { paymentId, currency, minor } of [...all.values()].flat())
      add(theirs, `${paymentId} ${currency}`, sign * minor);
  };
  addMovements(journal.paid, 1n);
  addMovements(journal.captured, 1n);
  addMovements(journal.refunded, -1n);
  addMovements(journal.returned, 1n);
  addMovements(journal.disputed, -1n);
  return [
    ...compareBalances(ours, theirs),
    ...findNonZeroSums(sums),
    ...findExcessRefunds(journal),
    ...findFrozenDifferences(sums, disputes),
    ...findWrongSums(databaseState),
    ...findWrongFees(databaseState),
    ...findNegativeBalances(databaseState, sums),
    ...findLeftoverReserves(databaseState),
    ...databaseState.breaks.map(({ kind, reference, paymentId }) =>
      newFinding("unbalanced", `match finds a break: ${kind}`, reference, paymentId ?? ""),
    ),
  ];
}

function compareBalances(ours: ReadonlyMap<string, bigint>, theirs: ReadonlyMap<string, bigint>): Finding[] {
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((key) => (ours.get(key) ?? 0n) !== (theirs.get(key) ?? 0n))
    .map((key) =>
      newFinding(
        "unbalanced",
        `our ledger has ${ours.get(key) ?? 0n}, the provider ${theirs.get(key) ?? 0n}`,
        key,
      ),
    );
}

function findNonZeroSums(sums: ReadonlyMap<string, bigint>): Finding[] {
  const byCurrency = Map.groupBy(sums, ([account]) => account.slice(-3));
  return [...byCurrency]
    .filter(([, accounts]) => accounts.reduce((sum, [, minor]) => sum + minor, 0n) !== 0n)
    .map(([currency]) => newFinding("unbalanced", "the ledger does not sum to zero", currency));
}

/** The frozen amounts in the ledger equal those of open disputes. */
function findFrozenDifferences(
  sums: ReadonlyMap<string, bigint>,
  disputes: readonly DisputeRow[],
): Finding[] {
  const frozen = [...sums].filter(([account]) => account.startsWith("merchant frozen"));
  const inLedger = frozen.reduce((sum, [, minor]) => sum - minor, 0n);
  const heldByDisputes = disputes.reduce((sum, { frozenMinor }) => sum + frozenMinor, 0n);
  const closedDisputes = disputes.filter(({ isOver, frozenMinor }) => isOver && frozenMinor !== 0n);
  return [
    ...(inLedger === heldByDisputes
      ? []
      : [newFinding("unbalanced", `${inLedger} is frozen, and disputes hold ${heldByDisputes}`, "frozen")]),
    ...closedDisputes.map(({ id }) => newFinding("unbalanced", "is final, and still holds money", id)),
  ];
}

function findExcessRefunds({ paid, captured, refunded, returned, disputed }: ProviderJournal): Finding[] {
  const sums = (...all: readonly ProviderJournal["paid"][]): Map<string, bigint> =>
    all
      .flatMap((each) => [...each.values()].flat())
      .reduce(
        (map, { paymentId, minor }: Movement) => map.set(paymentId, (map.get(paymentId) ?? 0n) + minor),
        new Map<string, bigint>(),
      );
  const receivedMinor = sums(paid, captured, returned);
  return [...sums(refunded, disputed)]
    .filter(([paymentId, minor]) => minor > (receivedMinor.get(paymentId) ?? 0n))
    .map(([paymentId]) => newFinding("unbalanced", "more was refunded than captured", paymentId));
}

/**
 * The captured and the refunded sum of a payment count exactly its captures and refunds that did not fail, so that the
 * amount of a failed one can be captured or refunded again.
 */
function findWrongSums({ payments, captures, refunds }: DatabaseState): Finding[] {
  const sumByPayment = (rows: readonly PaymentOperationRow[]): ReadonlyMap<string, bigint> =>
    rows
      .filter(({ status }) => status !== "FAIL")
      .reduce(
        (sums, { paymentId, minor }) => sums.set(paymentId, (sums.get(paymentId) ?? 0n) + minor),
        new Map<string, bigint>(),
      );
  const [capturedMinor, refundedMinor] = [sumByPayment(captures), sumByPayment(refunds)];
  return payments.flatMap((payment) => {
    const { paymentId } = payment;
    const expected = [
      { description: "refunded", counted: payment.refundedMinor, minor: refundedMinor.get(paymentId) ?? 0n },
      ...(payment.isManual
        ? [
            {
              description: "captured",
              counted: payment.capturedMinor,
              minor: capturedMinor.get(paymentId) ?? 0n,
            },
          ]
        : []),
    ];
    return expected
      .filter(({ counted, minor }) => counted !== minor)
      .map(({ description, counted, minor }) =>
        newFinding(
          "unbalanced",
          `${counted} counts as ${description}, and ${minor} was not failed`,
          paymentId,
        ),
      );
  });
}

/**
 * The fee is charged when a payment is paid, and for an authorization hold at each capture. A cancel returns the fee,
 * and a refund does not.
 */
function findWrongFees({ payments, captures, transfers }: DatabaseState): Finding[] {
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
    const heldByDisputes = (captured.get(paymentId) ?? []).reduce((sum, { minor }) => sum + feeOf(minor), 0n);
    const expected = isManual ? heldByDisputes : status === "SUCCESS" ? feeOf(paidMinor) : 0n;
    const actual = paid.get(paymentId) ?? 0n;
    return actual === expected
      ? []
      : [newFinding("unbalanced", `its fee is ${actual}, and should be ${expected}`, paymentId)];
  });
}

const feeRevenue = "fee revenue";

/** Only a dispute may make a merchant's balance negative. */
function findNegativeBalances(
  { payments, disputes }: DatabaseState,
  sums: ReadonlyMap<string, bigint>,
): Finding[] {
  const clientOf = new Map(payments.map(({ paymentId, clientId }) => [paymentId, clientId]));
  const disputed = new Set(disputes.map(({ paymentId }) => clientOf.get(paymentId)));
  return [...sums]
    .filter(([account, minor]) => account.startsWith(payable) && minor > 0n)
    .filter(([account]) => !disputed.has(account.slice(payable.length, -4)))
    .map(([account, minor]) =>
      newFinding("unbalanced", `its merchant has refunded ${minor} more than its balance`, account),
    );
}

const payable = "merchant payable ";

/** Only open refunds and cancels may have a reserve. The reserve of a finished one would never be released. */
function findLeftoverReserves({ reserves, refunds, reversals }: DatabaseState): Finding[] {
  const open = [...refunds, ...reversals].filter(({ status }) => status === "PROCESSING");
  const isOpen = (clientId: string, currency: string): boolean =>
    open.some((operation) => operation.clientId === clientId && operation.currency === currency);
  return reserves
    .filter(({ clientId, currency, minor }) => minor !== 0n && !isOpen(clientId, currency))
    .map(({ clientId, currency, minor }) =>
      newFinding("unbalanced", `${minor} is still reserved, and nothing is open`, clientId, currency),
    );
}
