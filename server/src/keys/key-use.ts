import type { GatewayPublicKey } from "./gateway-key.ts";

/** The kind of signed message. A merchant key signs requests; a gateway key signs responses and webhooks. */
export type SignedMessageKind = "REQUEST" | "ANSWER" | "NOTIFICATION";

/** One use of a key. */
export interface KeyUse {
  readonly clientId: string;
  readonly messageKind: SignedMessageKind;
  readonly version: number;
  readonly at: Date;
}

/** Number of signatures of a kind by a key on one day (UTC). */
export interface CountedKeyUse extends Omit<KeyUse, "at"> {
  readonly day: string;
  readonly times: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** A merchant's key and its uses. */
export interface MerchantKey {
  readonly version: number;
  readonly createdAt: Date;
  readonly revokedAt: Date | undefined;
  readonly requests: number;
  readonly lastUsedAt: Date | undefined;
}

/** A gateway key and its signatures for the merchant. */
export interface UsedGatewayKey extends GatewayPublicKey {
  readonly isPinned: boolean;
  readonly answers: number;
  readonly notificationAttempts: number;
  readonly lastUsedAt: Date | undefined;
}

/** The uses of all keys of one merchant. */
export interface KeyReport {
  readonly merchantKeys: readonly MerchantKey[];
  readonly gatewayKeys: readonly UsedGatewayKey[];
  /** The first request that was counted, if any. */
  readonly countedSince: Date | undefined;
  readonly now: Date;
}

/** Whether a key can be revoked without failing requests, and the reason. */
export interface RevocationAdvice {
  readonly isSafeToRevoke: boolean;
  readonly reason: string;
}

const idleHours = 24;
const idleMs = idleHours * 60 * 60 * 1000;

/**
 * Advises whether a key can be revoked: it can if it was idle for a day while another key was in use. Returns the first
 * reason against the revocation.
 */
export function adviseRevocation(key: MerchantKey, report: Omit<KeyReport, "gatewayKeys">): RevocationAdvice {
  const { merchantKeys, countedSince, now } = report;
  const wasUsedRecently = ({ lastUsedAt }: MerchantKey): boolean =>
    lastUsedAt !== undefined && now.getTime() - lastUsedAt.getTime() < idleMs;
  const others = merchantKeys.filter((other) => other !== key && !other.revokedAt);
  const activeKey = others.find(wasUsedRecently);

  if (key.revokedAt) return adviseAgainst("It is revoked.");
  if (others.length === 0) return adviseAgainst("It is the only key that is not revoked.");
  if (wasUsedRecently(key)) return adviseAgainst(`It signed a request within the last ${idleHours} hours.`);
  if (!activeKey) return adviseAgainst(`No other key signed a request within the last ${idleHours} hours.`);
  if (!countedSince || now.getTime() - countedSince.getTime() < idleMs)
    return adviseAgainst(`Requests have been counted for less than ${idleHours} hours.`);
  return {
    isSafeToRevoke: true,
    reason: `It signed nothing for ${idleHours} hours, and version ${activeKey.version} did.`,
  };
}

function adviseAgainst(reason: string): RevocationAdvice {
  return { isSafeToRevoke: false, reason };
}
