import { checkoutToken, deriveSecrets, openInstallationSecret } from "../../src/signing/secrets.ts";
import { readWrappingKeys } from "../../src/signing/wrapping-keys.ts";
import { asSuperuser } from "../start/test-database.ts";
import type { TestGateway } from "../start/test-gateway.ts";

/** The address of a payment's checkout page, as `pay` returns it. */
export async function checkoutUrlOf(
  gateway: LinkMaker,
  clientId: string,
  paymentId: string,
): Promise<string> {
  return (await checkoutLinks(gateway))(clientId, paymentId);
}

type LinkMaker = Pick<TestGateway, "url" | "database" | "environment" | "variables">;

/** `checkoutLinks` returns a function that creates the checkout page addresses of many payments. */
export async function checkoutLinks({
  url,
  database,
  environment,
  variables,
}: LinkMaker): Promise<(clientId: string, paymentId: string) => string> {
  const [installation] = await asSuperuser<{ readonly wrapped_secret: Buffer }>(
    "select wrapped_secret from installation",
    [],
    database.superuserUrl,
  );
  if (!installation) throw new Error("The database has no installation secret.");
  const wrappingKeys = await readWrappingKeys(variables["TOLLGATE_KEY_FILE"] ?? "");
  const secrets = deriveSecrets(
    openInstallationSecret(installation.wrapped_secret, wrappingKeys, environment),
  );
  return (clientId, paymentId) => `${url}/checkout/${checkoutToken(secrets, clientId, paymentId)}`;
}
