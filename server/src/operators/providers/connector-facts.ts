import { CommandFailed } from "../../core/command-errors.ts";
import { createHttpProvider } from "../../egress/http-provider.ts";
import { openProviderTls } from "../../egress/provider-tls.ts";
import { queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { systemScope } from "../../postgres/database.ts";
import { listConnectors } from "../../providers/connector.sql.ts";
import { defaultTerms, type Connector } from "../../providers/connector.ts";
import { providerKeys } from "../../providers/connector-directory.ts";
import type { ProviderFacts } from "../../providers/provider-facts.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Signer } from "../../signing/gateway-keys.ts";
import { formatError } from "../framework/format-error.ts";
import { readConnectorKeys, refuseInvalid } from "./check-connector.ts";
import { readFacts } from "./read-facts.ts";
import { requireNamed, storeFacts, type ChangedConnector, type NewConnector } from "./connector-settings.ts";

const timeoutMs = 10_000;

/** `openProviderOf` opens a client for one connector, outside of the gateway's processes. */
export async function openProviderOf(connector: Connector, signer: Signer): Promise<Provider> {
  const agents = await openProviderTls().agentsOf(connector);
  const keys = providerKeys(connector);
  return createHttpProvider({ connector, keys, agents, signer, now: () => new Date(), callbackUrl: "" });
}

/** `requestFacts` asks a provider for its facts. It throws `CommandFailed` with the reason and what to do. */
export async function requestFacts(connector: Connector, signer: Signer): Promise<ProviderFacts> {
  const provider = await openProviderOf(connector, signer);
  const value = await provider.facts(AbortSignal.timeout(timeoutMs)).catch((error: unknown) => {
    throw new CommandFailed(
      `${connector.name} at ${connector.url} did not state its facts: ${failureReason(error)}`,
    );
  });
  return readFacts(value, connector.name);
}

/** `requestFactsOfNew` asks the provider of a connector that is not stored yet. */
export async function requestFactsOfNew(
  { url, environment }: Operator,
  newConnector: NewConnector,
  signer: Signer,
): Promise<ProviderFacts> {
  refuseInvalid(environment, newConnector);
  const keys = await readConnectorKeys(newConnector);
  const connectors = await queryAsOwner(url, environment, systemScope, listConnectors);
  const existing = connectors.find(({ name }) => name === newConnector.name);
  const gatewayKeyVersion = existing?.gatewayKeyVersion ?? signer.newestVersion();
  return requestFacts({ ...newConnector, ...keys, gatewayKeyVersion, terms: defaultTerms }, signer);
}

/** `refreshConnector` asks a provider for its facts again, and stores them. */
export async function refreshConnector(
  operator: Operator,
  name: string,
  signer: Signer,
): Promise<ChangedConnector> {
  const { url, environment } = operator;
  const connector = requireNamed(await queryAsOwner(url, environment, systemScope, listConnectors), name);
  return storeFacts(operator, name, await requestFacts(connector, signer));
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

/** `failureReason` says in words why a request to a provider failed. */
export function failureReason(error: unknown): string {
  const { cause } = error as Error;
  return (cause instanceof Error && replyErrorMessages[cause.message]) || formatError(error);
}
