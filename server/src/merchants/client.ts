import type { RandomBelow } from "../core/id.ts";
import { newShortId } from "../core/short-id.ts";
import type { FeeRule } from "../ledger/fee-rule.ts";

/** A universe is closed for ever; a merchant is suspended until further notice. */
export type ClientStatus = "ACTIVE" | "SUSPENDED" | "CLOSED";

/** A merchant's system as the gateway knows it. */
export interface Client {
  readonly clientId: string;
  readonly bucket: number;
  /** The name that buyers see. */
  readonly name: string;
  readonly status: ClientStatus;
  /**
   * Pinned gateway key: answers and notifications are signed with this version until the merchant moves on.
   */
  readonly gatewayKeyVersion: number;
  readonly timeToleranceSeconds: number;
  readonly ratePerSecond: number;
  readonly rateBurst: number;
  /** Schemes of its own apps, to which buyers may return. */
  readonly linkSchemes: readonly string[];
  /** Our fee on payments that no rule fits, in hundredths of a per cent. */
  readonly feeBasisPoints: number;
  /** Rules of fees, its own and everybody's; those that have not begun yet as well. */
  readonly feeRules: readonly FeeRule[];
  /** How far the merchant's test clock is ahead of the database's; nought outside the sandbox. */
  readonly aheadMs: number;
  /** Grows with every change of the client, of its keys, and of the rules of its fees. */
  readonly revision: bigint;
  /** Version → SubjectPublicKeyInfo, of the keys that are not revoked. */
  readonly publicKeys: ReadonlyMap<number, Uint8Array>;
}

/** What an operator sets of a client; an absent field stays as it is. */
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

/** A client as the operator sees it among all others. */
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
