import type { KeyObject } from "node:crypto";
import type { Connector } from "../providers/connector.ts";
import type { Provider } from "../providers/provider.ts";
import { createHttpProvider, type HttpProviderOptions } from "./http-provider.ts";
import { openProviderTls } from "./provider-tls.ts";

interface HttpProvidersOptions extends Pick<HttpProviderOptions, "signer" | "now" | "traces"> {
  /** Builds the base URL of callbacks, which ends with the connector's name. */
  readonly callbackUrl: (connector: string) => string;
}

/** `createHttpProviderFactory` returns a factory of HTTP clients, one for each connector, which reloads changed TLS files. */
export function createHttpProviderFactory({
  callbackUrl,
  ...options
}: HttpProvidersOptions): (
  connector: Connector,
  keys: readonly [KeyObject, ...KeyObject[]],
) => Promise<Provider> {
  const tls = openProviderTls();
  return async (connector, keys) =>
    createHttpProvider({
      ...options,
      connector,
      keys,
      agents: await tls.agentsOf(connector),
      callbackUrl: callbackUrl(connector.name),
    });
}
