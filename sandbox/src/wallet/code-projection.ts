import type { Line } from "./effect.ts";
import type { PaymentCode } from "./payment-code.ts";

/** The wallet's payment codes, derived only from the lines of its journal. */
export interface CodeProjection {
  apply(line: Line): void;
  paymentCode(hash: string): PaymentCode | undefined;
  /** The wallet's id of the order for which a code was used. */
  orderIdOfCode(hash: string): string | undefined;
}

export function newCodeProjection(): CodeProjection {
  const codes = new Map<string, PaymentCode>();
  const newestByBuyer = new Map<string, string>();
  const orderIds = new Map<string, string>();

  function retire(hash: string | undefined, state: "USED" | "REPLACED"): void {
    const code = hash === undefined ? undefined : codes.get(hash);
    if (code?.state === "FRESH") codes.set(code.hash, { ...code, state });
  }

  function issue(code: PaymentCode): void {
    codes.set(code.hash, code);
    if (code.buyer === undefined) return;
    retire(newestByBuyer.get(code.buyer), "REPLACED");
    newestByBuyer.set(code.buyer, code.hash);
  }

  function apply(line: Line): void {
    if (line.kind === "payment-code") {
      const { n: _, at: __, kind: ___, codeHash: hash, ...rest } = line;
      issue({ ...rest, hash, state: "FRESH" });
    }
    if (line.kind === "submit" && line.order?.codeVerdict && line.order.codeVerdict.kind !== "refused")
      use(line.order.codeHash, line.order.providerOrderId);
  }

  function use(hash: string | undefined, providerOrderId: string): void {
    retire(hash, "USED");
    if (hash !== undefined) orderIds.set(hash, providerOrderId);
  }

  return {
    apply,
    paymentCode: (hash) => codes.get(hash),
    orderIdOfCode: (hash) => orderIds.get(hash),
  };
}
