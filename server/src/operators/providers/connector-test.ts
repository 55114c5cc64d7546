import { providerReference } from "../../core/provider-reference.ts";
import { createHttpProvider } from "../../egress/http-provider.ts";
import { listGatewayKeys } from "../../keys/gateway-key.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import { openSigner, type Signer } from "../../signing/gateway-keys.ts";
import { openRemoteSigner } from "../../signing/remote-signer.ts";
import { readWrappingKeys } from "../../signing/wrapping-keys.ts";
import { openProviderTls } from "../../egress/provider-tls.ts";
import { providerKeys } from "../../providers/connector-directory.ts";
import { listConnectors } from "../../providers/connector.sql.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { requireNamed } from "./connector-settings.ts";
import { formatError } from "../framework/format-error.ts";
import type { Settings } from "../../settings/settings.ts";

/** A provider's reply to an inquiry about an unknown order. */
export interface ConnectorTestResult {
  readonly name: string;
  readonly url: string;
  /** Whether the provider's reply was signed, in time, and reported an unknown order. */
  readonly isWell: boolean;
  readonly said: string;
  readonly tookMs: number;
}

const timeoutMs = 10_000;

/**
 * `testConnector` sends an inquiry about an unknown order, like the circuit breaker's probe. The inquiry tests the
 * address, the keys and the clocks of both sides.
 */
export async function testConnector(
  operator: Operator,
  name: string,
  signer: Signer,
): Promise<ConnectorTestResult> {
  const { url, environment } = operator;
  const connector = requireNamed(await queryAsOwner(url, environment, systemScope, listConnectors), name);
  const agents = await openProviderTls().agentsOf(connector);
  const keys = providerKeys(connector);
  const provider = createHttpProvider({
    connector,
    keys,
    agents,
    signer,
    now: () => new Date(),
    callbackUrl: "",
  });
  const reference = providerReference(environment, "", "inquiry", name);
  const startedMs = performance.now();
  const reply = await provider.inquire(reference, AbortSignal.timeout(timeoutMs)).then(
    ({ state }) => ({ isWell: state === "NOT_FOUND", said: state as string }),
    (error: unknown) => ({ isWell: false, said: failureReason(error) }),
  );
  const tookMs = Math.round(performance.now() - startedMs);
  const testResult = { name, url: connector.url, ...reply, tookMs };
  // The request to the provider runs outside a transaction; only the audit row is written in one.
  return actAsOwner(operator, systemScope, async () => ({
    value: testResult,
    audit: { act: "connector test", subject: name, after: { isWell: testResult.isWell, tookMs } },
  }));
}

/** Opens a signer for a command, with the same settings as `serve`. */
export async function openOperatorsSigner(
  { url, environment }: Operator,
  { keyFile, signing }: Pick<Settings, "keyFile" | "signing">,
): Promise<Signer> {
  const load = (): ReturnType<typeof listGatewayKeys> =>
    queryAsOwner(url, environment, systemScope, listGatewayKeys);
  const { socket: path, oldKeyFile } = signing;
  if (path !== "") return openRemoteSigner({ path, environment, onChange: () => undefined });
  return openSigner(load, await readWrappingKeys(keyFile, oldKeyFile), environment);
}

/** Messages for an invalid signature or time of a reply. */
const replyErrorMessages: Readonly<Record<string, string>> = {
  MISMATCH:
    "The signature does not match the provider's public key. Compare its digest in `tollgate connector show`.",
  MISSING_SIGNATURE: "The reply is not signed.",
  UNSUPPORTED_ALGORITHM:
    "The signature algorithm differs from that of the provider's public key. `tollgate connector show` " +
    "prints both.",
  MALFORMED_SIGNATURE: "The signature of the reply is malformed.",
  BAD_TIME: "The reply has no valid response-time.",
  STALE: "The provider's clock differs from ours by ten minutes or more.",
};

function failureReason(error: unknown): string {
  const { cause } = error as Error;
  return (cause instanceof Error && replyErrorMessages[cause.message]) || formatError(error);
}

export function connectorTestText({ name, url, isWell, said, tookMs }: ConnectorTestResult): string {
  return isWell
    ? `${name} at ${url} replied correctly in ${tookMs} ms.`
    : `${name} at ${url} failed the test: ${said} (${tookMs} ms)`;
}
