import type { RandomBelow } from "../core/id.ts";
import type { SecretCipher } from "../core/secret-cipher.ts";
import type { ConnectorTerms } from "../providers/connector.ts";
import type { Provider } from "../providers/provider.ts";
import type { DataGroup } from "../providers/provider-facts.ts";

/** External inputs of recording a provider's report. */
export interface RecordingContext {
  readonly environment: string;
  /** The time on the merchant's test clock, which is `aheadMs` ahead of the database's clock. */
  readonly now: Date;
  readonly aheadMs: number;
  readonly randomBelow: RandomBelow;
  readonly secrets: SecretCipher;
  /** The rules of a provider, such as the length of an authorization hold. */
  readonly termsOf: (connector: string) => ConnectorTerms;
}

/** The dependencies of every job that calls a provider. */
export interface ProviderDriver {
  readonly providerOf: (connector: string) => Promise<Provider>;
  /** The rules of a provider, such as limits and idempotency. */
  readonly termsOf: (connector: string) => ConnectorTerms;
  /** The groups of data that a connector wants with an order. */
  readonly wantsOf: (connector: string) => readonly DataGroup[];
  readonly context: (merchant: { readonly aheadMs: number }) => RecordingContext;
  readonly merchantName: (clientId: string) => Promise<string>;
  readonly secrets: SecretCipher;
  /** Alerts the operator to a contradiction that no program should settle. */
  readonly alert: (
    reason: string,
    payment: { readonly clientId: string; readonly paymentId: string },
  ) => void;
}
