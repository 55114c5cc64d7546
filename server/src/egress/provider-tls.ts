import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Connector } from "../providers/connector.ts";
import { createTlsAgents, type PostAgents } from "./post-bytes.ts";

/** The agents for a provider; undefined for the default ones. Throws if the provider's files cannot be used. */
export type ProviderAgents = (() => PostAgents) | undefined;

/** Caches the agents of providers with their own certificate, and creates new ones when a file has changed. */
export interface ProviderTls {
  agentsOf(connector: Pick<Connector, "name" | "tls">): Promise<ProviderAgents>;
}

interface CachedAgents {
  readonly content: string;
  readonly agents: PostAgents;
}

export function openProviderTls(): ProviderTls {
  const cache = new Map<string, CachedAgents>();
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
        const cached = cache.get(name);
        if (cached?.content === content) return () => cached.agents;
        // `createSecureContext` throws if the key does not belong to the certificate, for example while a renewal is
        // half written.
        createSecureContext(files);
        const agents = createTlsAgents(files);
        cache.set(name, { content, agents });
        return () => agents;
      } catch (cause) {
        // A request to this provider is never sent without its certificate. It fails, so only this provider is
        // unreachable.
        return () => {
          throw new Error(`The TLS files of connector ${name} cannot be used.`, { cause });
        };
      }
    },
  };
}
