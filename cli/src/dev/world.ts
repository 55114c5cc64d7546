import type { LocalServer } from "../../../server/src/postgres/local-server.ts";
import type { Running } from "./processes.ts";

/** What was asked for, and who hears of it. */
export interface WorldOptions {
  readonly port: number | undefined;
  readonly httpsPort: number | undefined;
  readonly postgres: string | undefined;
  /** This machine's address in its network, if others are to reach it. */
  readonly lanAddress: string | undefined;
  readonly logLevel: string;
  readonly compileCache: string;
  /** Hears each step while it starts. */
  readonly onStep: (step: string) => void;
  /** Hears a part as soon as it is a process, before it says anything. */
  readonly onPart: (part: Running) => void;
  /** Hears what a part says on standard error; otherwise it goes to ours. */
  readonly onLine?: (name: string, line: string) => void;
}

/** The parts that run, in the order in which they were started, and the way to end them. */
export interface World {
  readonly parts: Running[];
  postgres?: LocalServer;
}

/** Where the parts listen, and how they are found: under this machine's own address, and as others see it. */
export interface Addresses {
  readonly host: string;
  local(port: number): string;
  seen(port: number): string;
}
