import type { Database } from "../postgres/database.ts";
import { systemScope } from "../postgres/database.ts";
import { listedIn, type Directory } from "./directory.ts";
import { whoAnswers, type Answerer, type Held } from "./home.ts";
import { findHome } from "./home.sql.ts";

/** What this process knows about where clients live. */
export interface HomeBook {
  /** Says who answers a call in a client's name. */
  whoAnswers(clientId: string, isForwarded: boolean): Promise<Answerer>;
}

/** What is known about merchants that live here. */
interface Clients {
  /** From memory, less than a second old. */
  remembered(clientId: string): object | "nobody" | undefined;
  lookUp(clientId: string): Promise<object | "nobody" | "too many wait">;
}

export interface HomeBookOptions {
  readonly cell: string;
  readonly database: Database;
  readonly clients: Clients;
  /** As new as this process has it. */
  readonly directory: () => Directory | undefined;
  readonly monotonicMs: () => number;
}

/** For how long a home is believed, as long as a client is. What is then out of date meets the fence, or makes a detour. */
const trustedForMs = 900;
const homesMax = 10_000;

/** A merchant that called a moment ago is served without a question: only strangers and moved ones are looked up. */
export function openHomeBook({ cell, database, clients, directory, monotonicMs }: HomeBookOptions): HomeBook {
  const homes = new Map<string, { readonly held: Held; readonly atMs: number }>();

  async function look(clientId: string): Promise<Held | "later"> {
    const known = homes.get(clientId);
    const nowMs = monotonicMs();
    if (known && nowMs - known.atMs < trustedForMs) return known.held;
    const home = await findHome(database.reader(systemScope), clientId);
    const isFenced = home.holding !== undefined && home.holding.state !== "here";
    // Behind the fence there is nothing to be seen of the client.
    const client = isFenced ? "nobody" : await clients.lookUp(clientId);
    if (client === "too many wait") return "later";
    const held = { ...home, hasClient: client !== "nobody" };
    if (homes.size >= homesMax) homes.clear();
    homes.set(clientId, { held, atMs: nowMs });
    return held;
  }

  return {
    async whoAnswers(clientId, isForwarded) {
      if (typeof clients.remembered(clientId) === "object") return "serve";
      const held = await look(clientId);
      return held === "later" ? held : whoAnswers(cell, held, listedIn(directory(), clientId), isForwarded);
    },
  };
}
