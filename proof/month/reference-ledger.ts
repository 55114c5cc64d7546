import type { FollowUpEvent, MoneyEvent, PaymentEvent, PlannedFee, PlannedMerchant } from "./month-plan.ts";

/**
 * An independent model of the ledger: plain sums by account and currency. It uses none of the ledger's code, in
 * particular not its fee calculation.
 */
export interface ExpectedLedger {
  /** Debits less credits, in minor units. */
  balanceOf(account: string, currency: string): bigint;
  accounts(): ReadonlyMap<string, bigint>;
  move(debit: string, credit: string, currency: string, minor: bigint): void;
}

export function newExpectedLedger(): ExpectedLedger {
  const sums = new Map<string, bigint>();
  const add = (account: string, currency: string, minor: bigint): void => {
    const key = `${account} ${currency}`;
    sums.set(key, (sums.get(key) ?? 0n) + minor);
  };
  return {
    balanceOf: (account, currency) => sums.get(`${account} ${currency}`) ?? 0n,
    accounts: () => sums,
    move(debit, credit, currency, minor) {
      add(debit, currency, minor);
      add(credit, currency, -minor);
    },
  };
}

/** A fee and its tax, calculated from the contract without the gateway's code. */
interface ExpectedFee {
  readonly fee: bigint;
  readonly tax: bigint;
}

const million = 1_000_000n;

function feeByContract(terms: PlannedFee, minor: bigint): ExpectedFee {
  const rate = (minor * terms.rateMillionths) / million;
  let fee = rate + terms.fixed;
  if (fee < terms.minimum) fee = terms.minimum;
  if (fee > minor) fee = minor;
  const calculateTax = (sum: bigint): bigint => roundHalfEven(sum * terms.taxMillionths, million);
  while (fee + calculateTax(fee) > minor) fee -= 1n;
  return { fee, tax: calculateTax(fee) };
}

/**
 * The part of the fee that the only refund of a payment returns, by the contract's policy, and the cost of the refund.
 */
function refundByContract(
  terms: PlannedFee,
  paid: bigint,
  refunded: bigint,
): { readonly returned: ExpectedFee; readonly charged: ExpectedFee } {
  const { fee, tax } = feeByContract(terms, paid);
  const rate = (paid * terms.rateMillionths) / million;
  const feeAboveFixed = fee > terms.fixed ? fee - terms.fixed : 0n;
  const returnable = {
    keep: 0n,
    "return rate": rate < feeAboveFixed ? rate : feeAboveFixed,
    "return all": fee,
  }[terms.refundPolicy];
  const returnedFee = (returnable * refunded) / paid;
  const remainingTax = roundHalfEven((fee - returnedFee) * terms.taxMillionths, million);
  return {
    returned: { fee: returnedFee, tax: tax - remainingTax },
    charged: {
      fee: terms.refundFixed,
      tax: roundHalfEven(terms.refundFixed * terms.taxMillionths, million),
    },
  };
}

export function roundHalfEven(numerator: bigint, denominator: bigint): bigint {
  const whole = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  return twice > denominator || (twice === denominator && whole % 2n === 1n) ? whole + 1n : whole;
}

/** The fee terms of a payment: the second ones for payments that start at the change's midnight or later. */
function selectFee(merchant: PlannedMerchant, payment: PaymentEvent, feeChangeAt: Date): PlannedFee {
  return payment.at.getTime() < feeChangeAt.getTime() ? merchant.fees[0] : merchant.fees[1];
}

/** Records an event in the model, by the contract. */
export function applyEvent(
  ledger: ExpectedLedger,
  event: MoneyEvent,
  merchants: readonly PlannedMerchant[],
  feeChangeAt: Date,
): void {
  const payment = "payment" in event ? event.payment : event;
  const merchant = merchants[payment.merchant];
  if (!merchant) throw new Error("There is no such merchant.");
  const { provider, currency, minor: paid } = payment;
  const [receivableAccount, payableAccount] = [
    `provider receivable ${provider}`,
    `merchant payable ${merchant.clientId}`,
  ];
  const frozenAccount = `merchant frozen ${merchant.clientId}`;
  const terms = selectFee(merchant, payment, feeChangeAt);
  const move = (debit: string, credit: string, minor: bigint): void =>
    ledger.move(debit, credit, currency, minor);
  const chargeFee = ({ fee, tax }: ExpectedFee): void => {
    move(payableAccount, "fee revenue", fee);
    move(payableAccount, "tax payable", tax);
  };
  const returnFee = ({ fee, tax }: ExpectedFee): void => chargeFee({ fee: -fee, tax: -tax });
  /** A refund, or with the sign -1 its reversal. */
  const refund = (sign: bigint): void => {
    const { minor } = event as FollowUpEvent;
    const { returned, charged } = refundByContract(terms, paid, minor);
    move(payableAccount, receivableAccount, sign * minor);
    chargeFee({ fee: sign * (charged.fee - returned.fee), tax: sign * (charged.tax - returned.tax) });
  };
  const bookings: Readonly<Record<MoneyEvent["kind"], () => void>> = {
    payment() {
      move(receivableAccount, payableAccount, paid);
      chargeFee(feeByContract(terms, paid));
    },
    cancel() {
      move(payableAccount, receivableAccount, paid);
      returnFee(feeByContract(terms, paid));
    },
    hold: () => undefined,
    "capture request": () => undefined,
    "failed capture": () => undefined,
    capture() {
      const { minor, part: { capturedBefore = 0n } = {} } = event as FollowUpEvent;
      move(receivableAccount, payableAccount, minor);
      const [before, now] = [capturedBefore, capturedBefore + minor].map((sum) =>
        sum === 0n ? { fee: 0n, tax: 0n } : feeByContract(terms, sum),
      );
      if (before && now) chargeFee({ fee: now.fee - before.fee, tax: now.tax - before.tax });
    },
    refund: () => refund(1n),
    "refund again": () => refund(1n),
    "refund reversal": () => refund(-1n),
    "late success": () => move(receivableAccount, "suspense", paid),
    reversal: () => move("suspense", receivableAccount, paid),
    "reversal returned": () => move(receivableAccount, "suspense", paid),
    "cancel returned": () => move(receivableAccount, "suspense", paid),
    "dispute freeze": () => move(payableAccount, frozenAccount, paid),
    "dispute release": () => move(frozenAccount, payableAccount, paid),
    "dispute debit": () => move(frozenAccount, receivableAccount, paid),
  };
  bookings[event.kind]();
}
