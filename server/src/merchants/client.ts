import type { RandomBelow } from "../core/id.ts";
import { newShortId } from "../core/short-id.ts";
import type { FeeRule } from "../ledger/fee-rule.ts";
import type { MerchantAtProviders } from "../providers/provider-account.ts";

/** Status of a client. CLOSED is permanent, for an isolated test merchant; SUSPENDED is temporary, for a merchant. */
export type ClientStatus = "ACTIVE" | "SUSPENDED" | "CLOSED";

/** A merchant's system as the gateway stores it. */
export interface Client {
  readonly clientId: string;
  readonly bucket: number;
  /** The name that buyers see. */
  readonly name: string;
  readonly status: ClientStatus;
  /**
   * The version of the gateway key to which the client is pinned: it signs responses and webhooks until the merchant
   * changes it.
   */
  readonly gatewayKeyVersion: number;
  readonly timeToleranceSeconds: number;
  readonly ratePerSecond: number;
  readonly rateBurst: number;
  /** URL schemes of the merchant's own apps, to which buyers may return. */
  readonly linkSchemes: readonly string[];
  /** Our fee on payments without a fee rule, in basis points (hundredths of a per cent). */
  readonly feeBasisPoints: number;
  /** Fee rules for the client: the merchant's own and the general ones, including rules that start in the future. */
  readonly feeRules: readonly FeeRule[];
  /** The merchant's accounts and approved registrations at the providers. */
  readonly atProviders: MerchantAtProviders;
  /** Milliseconds that the merchant's test clock is ahead of the database's clock; 0 outside the sandbox. */
  readonly aheadMs: number;
  /** Increases with every change of the client, of its keys, fee rules, accounts and registrations at providers. */
  readonly revision: bigint;
  /** Maps a version to the client's public key (SubjectPublicKeyInfo), without revoked keys. */
  readonly publicKeys: ReadonlyMap<number, Uint8Array>;
}

/** Changes of a client by an operator; an absent field stays unchanged. */
export type ClientChange = Partial<
  Pick<
    Client,
    | "name"
    | "status"
    | "timeToleranceSeconds"
    | "ratePerSecond"
    | "rateBurst"
    | "feeBasisPoints"
    | "linkSchemes"
  >
>;

/** A client as in the operator's list. */
export interface ListedClient extends Pick<
  Client,
  "clientId" | "name" | "status" | "ratePerSecond" | "feeBasisPoints" | "gatewayKeyVersion"
> {
  readonly createdAt: Date;
}

export const sandboxPrefix = "SANDBOX_";

const randomLength = 16;

export function newClientId(environment: "sandbox" | "live", randomBelow: RandomBelow): string {
  return newShortId(environment === "sandbox" ? sandboxPrefix : "", randomLength, randomBelow);
}

export function isWellFormedClientId(text: string): boolean {
  return /^[A-Za-z0-9_]{1,64}$/.test(text);
}
