import type { Verdict } from "../wallets/message.ts";
import type { OrderReport } from "../wallets/wallet.ts";

/** What is wrong when a wallet that was told to let go what it holds says this of the order; undefined when nothing is. */
const wrongs: Readonly<Record<OrderReport["state"], string | undefined>> = {
  CLOSED: undefined,
  // Nobody has paid, and nobody can any more: nothing is held.
  DECLINED: undefined,
  AUTHORIZED: "The wallet goes on holding what it was told to let go.",
  PAID: "The wallet took what it was to hold.",
  OPEN: "The wallet waits for a buyer whose money it held.",
  PENDING: "The wallet waits for word of money that it held.",
  // Only a submit is refused.
  REFUSED: "The wallet refuses to let go what it holds.",
  NOT_FOUND: "The wallet has lost what it held.",
  INCONSISTENT: "The wallet has done something else under this reference.",
};

/** Whether held money is the buyer's again. What is wrong is told to people once, and asked again until it is right. */
export function judgeLetGo({ state }: OrderReport): Verdict & { readonly kind: "done" | "contradiction" } {
  const why = wrongs[state];
  return why === undefined ? { kind: "done" } : { kind: "contradiction", why, lastWord: state };
}
