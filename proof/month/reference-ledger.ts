import type { FollowUpHappens, Happening, PaymentHappens, PlannedFee, PlannedMerchant } from "./plan.ts";

/**
 * An independent model of the ledger: plain sums by account and currency. It uses none of the ledger's code, in
 * particular not its fee calculation.
 */
export interface ExpectedBooks {
  /** Debits less credits, in minor units. */
  balanceOf(account: string, currency: string): bigint;
  accounts(): ReadonlyMap<string, bigint>;
  move(debit: string, credit: string, currency: string, minor: bigint): void;
}

export function newBooks(): ExpectedBooks {
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
interface FoundFee {
  readonly fee: bigint;
  readonly tax: bigint;
}

const million = 1_000_000n;

function feeByContract(terms: PlannedFee, minor: bigint): FoundFee {
  const rate = (minor * terms.rateMillionths) / million;
  let fee = rate + terms.fixed;
  if (fee < terms.minimum) fee = terms.minimum;
  if (fee > minor) fee = minor;
  const taxOn = (sum: bigint): bigint => roundHalfEven(sum * terms.taxMillionths, million);
  while (fee + taxOn(fee) > minor) fee -= 1n;
  return { fee, tax: taxOn(fee) };
}

/**
 * The part of the fee that the only refund of a payment returns, by the contract's policy, and the cost of the refund.
 */
function refundByContract(
  terms: PlannedFee,
  paid: bigint,
  refunded: bigint,
): { readonly returned: FoundFee; readonly charged: FoundFee } {
  const { fee, tax } = feeByContract(terms, paid);
  const rate = (paid * terms.rateMillionths) / million;
  const overFixed = fee > terms.fixed ? fee - terms.fixed : 0n;
  const returnable = {
    keep: 0n,
    "return rate": rate < overFixed ? rate : overFixed,
    "return all": fee,
  }[terms.refundPolicy];
  const back = (returnable * refunded) / paid;
  const taxLeft = roundHalfEven((fee - back) * terms.taxMillionths, million);
  return {
    returned: { fee: back, tax: tax - taxLeft },
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
function feeOfPayment(merchant: PlannedMerchant, payment: PaymentHappens, changesAt: Date): PlannedFee {
  return payment.at.getTime() < changesAt.getTime() ? merchant.fees[0] : merchant.fees[1];
}

/** Records an event in the model, by the contract. */
export function expect(
  books: ExpectedBooks,
  happening: Happening,
  merchants: readonly PlannedMerchant[],
  changesAt: Date,
): void {
  const payment = "payment" in happening ? happening.payment : happening;
  const merchant = merchants[payment.merchant];
  if (!merchant) throw new Error("There is no such merchant.");
  const { provider, currency, minor: paid } = payment;
  const [owes, owed] = [`provider receivable ${provider}`, `merchant payable ${merchant.clientId}`];
  const frozen = `merchant frozen ${merchant.clientId}`;
  const terms = feeOfPayment(merchant, payment, changesAt);
  const move = (debit: string, credit: string, minor: bigint): void =>
    books.move(debit, credit, currency, minor);
  const charge = ({ fee, tax }: FoundFee): void => {
    move(owed, "fee revenue", fee);
    move(owed, "tax payable", tax);
  };
  const giveBack = ({ fee, tax }: FoundFee): void => charge({ fee: -fee, tax: -tax });
  const byKind: Readonly<Record<Happening["kind"], () => void>> = {
    payment() {
      move(owes, owed, paid);
      charge(feeByContract(terms, paid));
    },
    cancel() {
      move(owed, owes, paid);
      giveBack(feeByContract(terms, paid));
    },
    refund() {
      const { minor } = happening as FollowUpHappens;
      const { returned, charged } = refundByContract(terms, paid, minor);
      move(owed, owes, minor);
      giveBack(returned);
      charge(charged);
    },
    "late success": () => move(owes, "suspense", paid),
    reversal: () => move("suspense", owes, paid),
    "dispute freeze": () => move(owed, frozen, paid),
    "dispute release": () => move(frozen, owed, paid),
    "dispute debit": () => move(frozen, owes, paid),
  };
  byKind[happening.kind]();
}
