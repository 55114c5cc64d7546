import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Connector } from "../wallets/connector.ts";
import { secureAgents, type PostAgents } from "./post-bytes.ts";

/** What connects to a wallet; undefined for the usual. Throws when the wallet's files cannot be used. */
export type WalletAgents = (() => PostAgents) | undefined;

/** Keeps the agents of wallets with a certificate of their own, and makes new ones when a file has changed. */
export interface WalletTls {
  agentsOf(connector: Pick<Connector, "name" | "tls">): Promise<WalletAgents>;
}

interface Kept {
  readonly content: string;
  readonly agents: PostAgents;
}

export function openWalletTls(): WalletTls {
  const kept = new Map<string, Kept>();
  return {
    async agentsOf({ name, tls }) {
      if (!tls) return undefined;
      try {
        const read = async (file: string | undefined): Promise<Buffer | undefined> =>
          file === undefined ? undefined : readFile(file);
        const [cert, key, ca] = await Promise.all([
          read(tls.certificateFile),
          read(tls.keyFile),
          read(tls.caFile),
        ]);
        const files = { ...(cert && { cert }), ...(key && { key }), ...(ca && { ca }) };
        const content = [cert, key, ca].map((bytes) => bytes?.toString("base64") ?? "").join(" ");
        const before = kept.get(name);
        if (before?.content === content) return () => before.agents;
        // Throws when the key is not the certificate's; half of a renewal may be written.
        createSecureContext(files);
        const agents = secureAgents(files);
        kept.set(name, { content, agents });
        return () => agents;
      } catch (cause) {
        // Never without its certificate: the wallet is out of reach, and every other one is not.
        return () => {
          throw new Error(`The TLS files of connector ${name} cannot be used.`, { cause });
        };
      }
    },
  };
}
