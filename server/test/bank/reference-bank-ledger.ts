/** The reason for a movement of money on the operator's account at the simulated bank. */
export type MovementKind =
  | "execution"
  | "execution again"
  | "reversal"
  | "return"
  | "return without code"
  | "partial return"
  | "charge"
  | "charge given back"
  | "other";

export interface Movement {
  readonly kind: MovementKind;
  readonly currency: string;
  /** The amount in minor units, negative when money left the operator's account. */
  readonly minor: bigint;
  /** Business day of the booking. */
  readonly day: string;
  readonly endToEndId: string | undefined;
  /** Account of the payee; absent if the movement is not a payout. */
  readonly iban: string | undefined;
}

/** The bank's own ledger: every movement of our accounts. It shares no code and no data with the gateway. */
export interface BankLedger {
  readonly movements: readonly Movement[];
  /** Number of messages that the bank rejected as duplicates (DU01). */
  readonly duplicateMessages: number;
  /** Number of transactions that the bank rejected as duplicates (AM05). */
  readonly duplicateTransactions: number;
  /** Returns the sum that was paid to payees, without money that came back as a regular return. */
  paidOut(isWanted: (movement: Movement) => boolean): bigint;
  /**
   * Movements without a payout: charges, and credits that are not regular returns. Reconciliation must list each once.
   */
  discrepancies(): readonly Movement[];
  balanceAtEndOf(day: string, currency: string): bigint;
}

const payoutKinds: ReadonlySet<MovementKind> = new Set([
  "execution",
  "execution again",
  "reversal",
  "return",
]);

export interface WritableBankLedger extends BankLedger {
  duplicateMessages: number;
  duplicateTransactions: number;
  add(movement: Movement): void;
}

export function newBankLedger(): WritableBankLedger {
  const movements: Movement[] = [];
  const sumOf = (selected: readonly Movement[]): bigint =>
    selected.reduce((sum, { minor }) => sum + minor, 0n);
  return {
    movements,
    duplicateMessages: 0,
    duplicateTransactions: 0,
    add: (movement) => void movements.push(movement),
    paidOut: (isWanted) => -sumOf(movements.filter((each) => payoutKinds.has(each.kind) && isWanted(each))),
    discrepancies: () => movements.filter(({ kind }) => kind !== "other" && !payoutKinds.has(kind)),
    balanceAtEndOf: (day, currency) =>
      sumOf(movements.filter((each) => each.currency === currency && each.day <= day)),
  };
}
