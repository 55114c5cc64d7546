import { listGatewayKeys, updateWrappedKey } from "../../keys/gateway-key.sql.ts";
import { findWrappedSecret, updateWrappedSecret } from "../../keys/installation.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import { rewrapGatewayKey } from "../../signing/gateway-keys.ts";
import { rewrapSecret } from "../../signing/secrets.ts";
import type { WrappingKeys } from "../../signing/wrapping-keys.ts";
import { actAsOwner, type Operator } from "../../operator-session/owner-session.ts";

/** The gateway keys and the secret that were wrapped with the new key file. */
export interface RotatedKeyFile {
  readonly gatewayKeyVersions: readonly number[];
  readonly installationSecret: boolean;
}

/**
 * `rotateKeyFile` wraps all keys of the old key file with the current one. The rotation is one transaction over a few
 * rows, so an interrupted run changes nothing.
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

export function rotationText({ gatewayKeyVersions, installationSecret }: RotatedKeyFile): string {
  const wrappedKeys = [
    ...(gatewayKeyVersions.length > 0 ? [`gateway keys ${gatewayKeyVersions.join(", ")}`] : []),
    ...(installationSecret ? ["the installation's secret"] : []),
  ];
  const summary =
    wrappedKeys.length === 0
      ? "All keys are already wrapped with TOLLGATE_KEY_FILE."
      : `Wrapped again: ${wrappedKeys.join(" and ")}.`;
  return `${summary} TOLLGATE_OLD_KEY_FILE is no longer needed.`;
}
