import { listGatewayKeys, updateWrappedKey } from "../keys/gateway-key.sql.ts";
import { findWrappedSecret, updateWrappedSecret } from "../keys/installation.sql.ts";
import { systemScope } from "../postgres/database.ts";
import { rewrapGatewayKey } from "../signing/gateway-keys.ts";
import { rewrapSecret } from "../signing/secrets.ts";
import type { WrappingKeys } from "../signing/wrapping-keys.ts";
import { actAsOwner, type Operator } from "./as-owner.ts";

/** What was wrapped anew. */
export interface RotatedKeyFile {
  readonly gatewayKeyVersions: readonly number[];
  readonly installationSecret: boolean;
}

/**
 * Wraps with the current key file whatever the one before has wrapped. One transaction: they are a handful of rows, nobody waits
 * for them, and whoever is killed in the middle has changed nothing.
 */
export async function rotateKeyFile(operator: Operator, wrappingKeys: WrappingKeys): Promise<RotatedKeyFile> {
  const { environment } = operator;
  return actAsOwner(operator, systemScope, async (tx) => {
    const wrappedSecret = await findWrappedSecret(tx);
    const secret = wrappedSecret && rewrapSecret(wrappedSecret, wrappingKeys, environment);
    if (secret) await updateWrappedSecret(tx, secret);
    const keys = (await listGatewayKeys(tx)).flatMap((key) =>
      "heldAs" in key ? [] : (rewrapGatewayKey(key, wrappingKeys, environment) ?? []),
    );
    for (const key of keys) await updateWrappedKey(tx, key);
    const value = {
      gatewayKeyVersions: keys.map(({ version }) => version),
      installationSecret: secret !== undefined,
    };
    const isDone = keys.length > 0 || value.installationSecret;
    const audit = { act: "key-file rotate", subject: "key file", after: value };
    return { value, audit: isDone ? audit : undefined };
  });
}

export function rotatedText({ gatewayKeyVersions, installationSecret }: RotatedKeyFile): string {
  const wrapped = [
    ...(gatewayKeyVersions.length > 0 ? [`gateway keys ${gatewayKeyVersions.join(", ")}`] : []),
    ...(installationSecret ? ["the installation's secret"] : []),
  ];
  const done =
    wrapped.length === 0
      ? "Everything was wrapped by it already."
      : `Wrapped anew: ${wrapped.join(" and ")}.`;
  return `${done} TOLLGATE_KEY_FILE opens all there is; TOLLGATE_OLD_KEY_FILE is not needed any more.`;
}
