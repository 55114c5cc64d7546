import { hashOfCode, newPaymentCode, type PaymentCode } from "./payment-code.ts";
import type { Wallet } from "./wallet.ts";
import { exactTime, wireTime } from "./wire-time.ts";

/** The default lifetime of a payment code in seconds. It is one minute, as in many wallet apps. */
export const codeLifetimeSecondsDefault = 60;

export interface CodeRequest extends Pick<PaymentCode, "buyer" | "asks" | "declines"> {
  readonly lifetimeSeconds: number;
}

export interface IssuedCode {
  readonly paymentCode: string;
  readonly expiryTime: string;
}

/** Issues a new code. It may be shown when the journal is durable. */
export function issueCode(wallet: Wallet, { lifetimeSeconds, ...rest }: CodeRequest): IssuedCode {
  const paymentCode = newPaymentCode();
  const expiryMs = wallet.now() + lifetimeSeconds * 1000;
  const codeHash = hashOfCode(paymentCode);
  wallet.record({ kind: "payment-code", codeHash, expiryTime: exactTime(expiryMs), ...rest });
  return { paymentCode, expiryTime: wireTime(expiryMs) };
}
