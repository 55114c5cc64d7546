import { type Database, systemScope } from "../postgres/database.ts";
import { findDirectoryEntries, type Directory } from "./directory.ts";
import { routeRequest, type RequestRoute, type LocalHome } from "./home.ts";
import { findHome } from "./home.sql.ts";

/** Cache of clients' home cells in this process. */
export interface HomeCache {
  /** Returns which cell answers a request of a client. */
  routeRequest(clientId: string, isForwarded: boolean): Promise<RequestRoute>;
}

/** Lookups of clients whose home is this cell. */
interface Clients {
  /** Returns the client from a cache whose entries are less than a second old. */
  findCached(clientId: string): object | "unknown-client" | undefined;
  lookUp(clientId: string): Promise<object | "unknown-client" | "too many wait">;
}

export interface HomeCacheOptions {
  readonly cell: string;
  readonly database: Database;
  readonly clients: Clients;
  /** The newest directory that this process has. */
  readonly directory: () => Directory | undefined;
  readonly monotonicMs: () => number;
}

/**
 * Time to live of a cached home, equal to that of a cached client. A stale home is harmless: the fence rejects its
 * writes, or the request takes an extra forwarding hop.
 */
const homeTtlMs = 900;
const homesMax = 10_000;

/**
 * `openHomeCache` opens the cache of homes. A request of a merchant with recent requests needs no query: only
 * unauthenticated and moved clients are looked up.
 */
export function openHomeCache({
  cell,
  database,
  clients,
  directory,
  monotonicMs,
}: HomeCacheOptions): HomeCache {
  const homes = new Map<string, { readonly home: LocalHome; readonly atMs: number }>();

  async function findCachedHome(clientId: string): Promise<LocalHome | "later"> {
    const cached = homes.get(clientId);
    const nowMs = monotonicMs();
    if (cached && nowMs - cached.atMs < homeTtlMs) return cached.home;
    const home = await findHome(database.reader(systemScope), clientId);
    const isFenced = home.stored !== undefined && home.stored.state !== "here";
    // If the client's home is fenced, row-level security hides the client's rows.
    const client = isFenced ? "unknown-client" : await clients.lookUp(clientId);
    if (client === "too many wait") return "later";
    const localHome = { ...home, hasClient: client !== "unknown-client" };
    if (homes.size >= homesMax) homes.clear();
    homes.set(clientId, { home: localHome, atMs: nowMs });
    return localHome;
  }

  return {
    async routeRequest(clientId, isForwarded) {
      if (typeof clients.findCached(clientId) === "object") return "serve";
      const home = await findCachedHome(clientId);
      return home === "later"
        ? home
        : routeRequest(cell, home, findDirectoryEntries(directory(), clientId), isForwarded);
    },
  };
}
