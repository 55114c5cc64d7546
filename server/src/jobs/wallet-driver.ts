import type { RandomBelow } from "../core/id.ts";
import type { SecretKeeper } from "../core/secret-keeper.ts";
import type { ConnectorTerms } from "../wallets/connector.ts";
import type { Wallet } from "../wallets/wallet.ts";
import type { Payment } from "../payments/payment.ts";

/** What writing down a wallet's report needs from outside the database. */
export interface RecordingContext {
  readonly environment: string;
  /** By the merchant's test clock, which is `aheadMs` ahead of the database's. */
  readonly now: Date;
  readonly aheadMs: number;
  readonly randomBelow: RandomBelow;
  readonly secrets: SecretKeeper;
}

/** The dependencies of every job that calls a wallet. */
export interface WalletDriver {
  readonly walletOf: (connector: string) => Promise<Wallet>;
  /** What that wallet allows, and how sure one can be of it. */
  readonly termsOf: (connector: string) => ConnectorTerms;
  readonly context: (merchant: { readonly aheadMs: number }) => RecordingContext;
  readonly merchantName: (clientId: string) => Promise<string>;
  readonly secrets: SecretKeeper;
  /** Alerts the operator to what no program should settle. */
  readonly alert: (what: string, payment: Pick<Payment, "clientId" | "paymentId">) => void;
}
