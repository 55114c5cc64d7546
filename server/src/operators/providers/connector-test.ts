import { providerReference } from "../../core/provider-reference.ts";
import { listGatewayKeys } from "../../keys/gateway-key.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import { openSigner, type Signer } from "../../signing/gateway-keys.ts";
import { openRemoteSigner } from "../../signing/remote-signer.ts";
import { readWrappingKeys } from "../../signing/wrapping-keys.ts";
import { listConnectors } from "../../providers/connector.sql.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { requireNamed } from "./connector-settings.ts";
import type { Connector } from "../../providers/connector.ts";
import { offersQuery } from "../../providers/connector-terms.ts";
import { formatError } from "../framework/format-error.ts";
import { failureReason, openProviderOf, requestFacts } from "./connector-facts.ts";
import { factsChangeLines } from "./connector-text.ts";
import type { Settings } from "../../settings/settings.ts";

/** A provider's replies to an inquiry about an unknown order, and to a request for its facts. */
export interface ConnectorTestResult {
  readonly name: string;
  readonly url: string;
  /** Whether both replies were signed, in time, and valid, and the order was unknown. */
  readonly isWell: boolean;
  readonly said: string;
  readonly tookMs: number;
  /** The differences between the stored facts and the provider's reply. */
  readonly factsChanges: readonly string[];
}

const timeoutMs = 10_000;

/**
 * `testConnector` sends an inquiry about an unknown order, like the circuit breaker's probe, and asks for the facts. The
 * inquiry tests the address, the keys and the clocks of both sides. It stores nothing but its audit row.
 */
export async function testConnector(
  operator: Operator,
  name: string,
  signer: Signer,
): Promise<ConnectorTestResult> {
  const { url, environment } = operator;
  const connector = requireNamed(await queryAsOwner(url, environment, systemScope, listConnectors), name);
  const startedMs = performance.now();
  const inquiry = offersQuery(connector, "order")
    ? await inquireUnknown(environment, connector, signer)
    : "NOT_FOUND";
  const tookMs = Math.round(performance.now() - startedMs);
  const { problem, factsChanges } =
    inquiry === "NOT_FOUND" ? await compareFacts(connector, signer) : { problem: inquiry, factsChanges: [] };
  const isWell = problem === undefined;
  const testResult = { name, url: connector.url, isWell, said: problem ?? inquiry, tookMs, factsChanges };
  // The request to the provider runs outside a transaction; only the audit row is written in one.
  return actAsOwner(operator, systemScope, async () => ({
    value: testResult,
    audit: { act: "connector test", subject: name, after: { isWell: testResult.isWell, tookMs } },
  }));
}

async function compareFacts(
  connector: Connector,
  signer: Signer,
): Promise<Pick<ConnectorTestResult, "factsChanges"> & { readonly problem: string | undefined }> {
  try {
    const stated = await requestFacts(connector, signer);
    return { problem: undefined, factsChanges: factsChangeLines(connector.facts, stated) };
  } catch (error) {
    return { problem: formatError(error), factsChanges: [] };
  }
}

async function inquireUnknown(environment: string, connector: Connector, signer: Signer): Promise<string> {
  const provider = await openProviderOf(connector, signer);
  const reference = providerReference(environment, "", "inquiry", connector.name);
  return provider
    .inquire({ reference, owner: undefined }, AbortSignal.timeout(timeoutMs))
    .then(({ state }) => state, failureReason);
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

export function connectorTestText({
  name,
  url,
  isWell,
  said,
  tookMs,
  factsChanges,
}: ConnectorTestResult): string {
  if (!isWell) return `${name} at ${url} failed the test: ${said} (${tookMs} ms)`;
  const differences =
    factsChanges.length === 0
      ? []
      : [`Its facts have changed. Store them with \`tollgate connector refresh ${name}\`:`, ...factsChanges];
  return [`${name} at ${url} replied correctly in ${tookMs} ms.`, ...differences].join("\n");
}
