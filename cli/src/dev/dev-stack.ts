import type { LocalServer } from "../../../server/src/postgres/local-server.ts";
import type { RunningPart } from "./processes.ts";

/** The options of a start, and its listeners. */
export interface StackOptions {
  readonly port: number | undefined;
  readonly httpsPort: number | undefined;
  readonly postgres: string | undefined;
  /** This machine's address in its network, if other devices should reach Tollgate; otherwise undefined. */
  readonly lanAddress: string | undefined;
  readonly logLevel: string;
  readonly compileCache: string;
  /** Called at each step of the start with the step's description. */
  readonly onStep: (step: string) => void;
  /** Called for each new process, before it prints anything. */
  readonly onPart: (part: RunningPart) => void;
  /**
   * Receives the lines that a part prints on standard error; if it is not set, the lines go to the standard error of
   * this process.
   */
  readonly onLine?: (name: string, line: string) => void;
}

/** The running parts in the order of their start, and the function that stops them. */
export interface DevStack {
  readonly parts: RunningPart[];
  postgres?: LocalServer;
}

/**
 * The host on which the parts listen, and functions that return a port's address from this machine and from other
 * devices.
 */
export interface Addresses {
  readonly host: string;
  localUrl(port: number): string;
  networkUrl(port: number): string;
}
