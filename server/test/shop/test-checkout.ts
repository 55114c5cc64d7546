import { readKeyEncryptionKey } from "../../src/signing/gateway-keys.ts";
import { checkoutToken, openSecrets } from "../../src/signing/secrets.ts";
import { asSuperuser } from "../start/test-database.ts";
import type { TestGateway } from "../start/test-gateway.ts";

/** The address of a payment's page, as `pay` would give it. */
export async function checkoutUrlOf(
  { url, database, environment, variables }: TestGateway,
  clientId: string,
  paymentId: string,
): Promise<string> {
  const [installation] = await asSuperuser<{ readonly wrapped_secret: Buffer }>(
    "select wrapped_secret from installation",
    [],
    database.superuserUrl,
  );
  if (!installation) throw new Error("The installation has no secret.");
  const keyEncryptionKey = await readKeyEncryptionKey(variables["TOLLGATE_KEY_FILE"] ?? "");
  const secrets = openSecrets(installation.wrapped_secret, keyEncryptionKey, environment);
  return `${url}/checkout/${checkoutToken(secrets, clientId, paymentId)}`;
}
