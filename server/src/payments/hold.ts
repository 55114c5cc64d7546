import type { Verdict } from "../wallets/message.ts";
import type { OrderReport } from "../wallets/wallet.ts";
import { orderMismatch } from "./decide-payment.ts";
import type { Payment } from "./payment.ts";

/** What is wrong with each state of an order whose hold the wallet was told to release. */
const wrongs: Readonly<Record<OrderReport["state"], string | undefined>> = {
  CLOSED: undefined,
  // Never paid, and final: nothing is held.
  DECLINED: undefined,
  AUTHORIZED: "The wallet goes on holding what it was told to let go.",
  PAID: "The wallet took what it was to hold.",
  OPEN: "The wallet waits for a buyer whose money it held.",
  PENDING: "The wallet waits for word of money that it held.",
  // Never the answer to a release: only a submit is refused.
  REFUSED: "The wallet refuses to let go what it holds.",
  NOT_FOUND: "The wallet has lost what it held.",
  INCONSISTENT: "The wallet has done something else under this reference.",
};

/** Whether the hold is released. A contradiction alerts the operator once, and the release is retried. */
export function judgeLetGo(
  report: OrderReport,
  payment: Pick<Payment, "paymentId" | "amount">,
): Verdict & { readonly kind: "done" | "contradiction" } {
  const mismatch = orderMismatch(payment, report);
  if (mismatch !== undefined) return { kind: "contradiction", why: mismatch, lastWord: "MISMATCH" };
  const { state } = report;
  const why = wrongs[state];
  return why === undefined ? { kind: "done" } : { kind: "contradiction", why, lastWord: state };
}
