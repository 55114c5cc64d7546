import { environment, keyFrom } from "./environment.ts";
import { ConfigurationError } from "./errors.ts";
import { publicKeyOf, type KeyInput, type PublicKey } from "./key.ts";
import type { GatewayKeys } from "./verify.ts";

/** The gateway's public keys: one key for all key versions, or one key for each version. */
export type GatewayPublicKeys = KeyInput | Readonly<Record<number, KeyInput>>;

/** Returns the passed client id, or else the client id from the environment. */
export function clientIdOf(given: string | undefined): string {
  const clientId = given ?? environment("TOLLGATE_CLIENT_ID");
  if (clientId === undefined) throw missing("clientId", "CLIENT_ID");
  if (!/^[\x21-\x7e]{1,64}$/.test(clientId)) {
    throw new ConfigurationError("A client id must have 1 to 64 visible ASCII characters.");
  }
  return clientId;
}

/** The keys that verify responses and webhooks of the gateway. */
export interface GivenKeys {
  readonly all: readonly PublicKey[];
  readonly ofVersion: GatewayKeys;
}

export function gatewayKeysOf(given: GatewayPublicKeys | undefined): GivenKeys {
  const one = oneKey(given);
  if (one) return { all: [one], ofVersion: () => one };
  const byVersion = new Map(
    Object.entries(given ?? {}).map(([version, key]) => [Number(version), publicKeyOf(key)] as const),
  );
  if (byVersion.size === 0)
    throw new ConfigurationError("At least one public key of the gateway is required.");
  return { all: [...byVersion.values()], ofVersion: (version) => byVersion.get(version) };
}

function oneKey(given: GatewayPublicKeys | undefined): PublicKey | undefined {
  if (given === undefined) {
    const key = keyFrom("TOLLGATE_GATEWAY_PUBLIC_KEY", publicKeyOf);
    if (!key) throw missing("gatewayPublicKeys", "GATEWAY_PUBLIC_KEY or TOLLGATE_GATEWAY_PUBLIC_KEY_FILE");
    return key;
  }
  return typeof given === "string" || "usages" in given ? publicKeyOf(given) : undefined;
}

export function missing(option: string, variable: string): ConfigurationError {
  return new ConfigurationError(`There is no ${option}: pass it, or set TOLLGATE_${variable}.`);
}
