import type { GatewayPublicKey } from "./gateway-key.ts";

/** A request is signed with a key of the merchant's, an answer or a notification with one of the gateway's. */
export type Signed = "REQUEST" | "ANSWER" | "NOTIFICATION";

/** One use of a key. */
export interface KeyUse {
  readonly clientId: string;
  readonly signed: Signed;
  readonly version: number;
  readonly at: Date;
}

/** How often a key signed what on a day (UTC). */
export interface CountedKeyUse extends Omit<KeyUse, "at"> {
  readonly day: string;
  readonly times: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** A merchant's key, and its use. */
export interface MerchantKey {
  readonly version: number;
  readonly createdAt: Date;
  readonly revokedAt: Date | undefined;
  readonly requests: number;
  readonly lastUsedAt: Date | undefined;
}

/** A gateway key, and what it signed for the merchant. */
export interface UsedGatewayKey extends GatewayPublicKey {
  readonly isPinned: boolean;
  readonly answers: number;
  readonly notificationAttempts: number;
  readonly lastUsedAt: Date | undefined;
}

/** Which key signed what, for one merchant. */
export interface KeyReport {
  readonly merchantKeys: readonly MerchantKey[];
  readonly gatewayKeys: readonly UsedGatewayKey[];
  /** The first request that was counted, if there was one. */
  readonly countedSince: Date | undefined;
  readonly now: Date;
}

/** Whether a key can be revoked without breaking the merchant's calls, and why. */
export interface Light {
  readonly isSafeToRevoke: boolean;
  readonly reason: string;
}

const restHours = 24;
const restMs = restHours * 60 * 60 * 1000;

/** Safe when the key was idle for a day while another was in use; the first reason against it counts. */
export function revocationLight(key: MerchantKey, report: Omit<KeyReport, "gatewayKeys">): Light {
  const { merchantKeys, countedSince, now } = report;
  const wasUsed = ({ lastUsedAt }: MerchantKey): boolean =>
    lastUsedAt !== undefined && now.getTime() - lastUsedAt.getTime() < restMs;
  const others = merchantKeys.filter((other) => other !== key && !other.revokedAt);
  const working = others.find(wasUsed);

  if (key.revokedAt) return keep("It is revoked.");
  if (others.length === 0) return keep("It is the only key that is not revoked.");
  if (wasUsed(key)) return keep(`It signed a request within the last ${restHours} hours.`);
  if (!working) return keep(`No other key signed a request within the last ${restHours} hours.`);
  if (!countedSince || now.getTime() - countedSince.getTime() < restMs)
    return keep(`Requests have been counted for less than ${restHours} hours.`);
  return {
    isSafeToRevoke: true,
    reason: `It signed nothing for ${restHours} hours, and version ${working.version} did.`,
  };
}

function keep(reason: string): Light {
  return { isSafeToRevoke: false, reason };
}
