import { createPublicKey, type KeyObject } from "node:crypto";
import type { Signer } from "../signing/gateway-keys.ts";
import { connectorFor, type Connector } from "./connector.ts";
import { httpWallet } from "./http-wallet.ts";
import type { Wallet } from "./wallet.ts";

/** A connector with what is made from it once. */
export interface KnownConnector extends Connector {
  readonly key: KeyObject;
  readonly wallet: Wallet;
}

export interface ConnectorDirectory {
  nameFor(paymentMethodType: string): string | undefined;
  /** Looks again before it gives up: the connector may have been set up a moment ago. */
  find(name: string): Promise<KnownConnector | undefined>;
  refresh(): Promise<void>;
}

export interface ConnectorDirectoryOptions {
  readonly load: () => Promise<readonly Connector[]>;
  readonly signer: Signer;
  readonly environment: string;
  readonly now: () => Date;
  /** Where wallets report to: their name is added. */
  readonly callbackUrl: (connector: string) => string;
}

export async function openConnectorDirectory(
  options: ConnectorDirectoryOptions,
): Promise<ConnectorDirectory> {
  let known: readonly KnownConnector[] = [];

  async function refresh(): Promise<void> {
    const connectors = await options.load();
    // A simulator approves whatever it is told to: real money must never depend on one.
    const usable = connectors.filter(({ simulator }) => options.environment === "sandbox" || !simulator);
    known = usable.map((connector) => know(connector, options));
  }

  const find = (name: string): KnownConnector | undefined =>
    known.find((connector) => connector.name === name);

  await refresh();
  return {
    nameFor: (paymentMethodType) => connectorFor(known, paymentMethodType)?.name,
    async find(name) {
      const found = find(name);
      if (found) return found;
      await refresh();
      return find(name);
    },
    refresh,
  };
}

function know(connector: Connector, { signer, now, callbackUrl }: ConnectorDirectoryOptions): KnownConnector {
  const key = createPublicKey({ key: Buffer.from(connector.publicKey), format: "der", type: "spki" });
  const wallet = httpWallet({ connector, key, signer, now, callbackUrl: callbackUrl(connector.name) });
  return { ...connector, key, wallet };
}
