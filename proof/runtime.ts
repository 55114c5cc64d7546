import type { Runner } from "../clients/runner.ts";

/** A version of a language in which merchants run a library. */
export interface Runtime {
  /** By which it is asked for: `node-20`. */
  readonly name: string;
  readonly library: "TypeScript" | "Python" | "PHP" | "Java" | "Go";
  /** Where it comes from, for the report. */
  readonly source: string;
  /** Throws where it is not to be had. */
  install(ground: RuntimeGround): Promise<InstalledRuntime>;
}

/** A runtime that is there, and how it runs a library's programs. */
export interface InstalledRuntime {
  /** In its own words. */
  readonly version: string;
  /** All cases of clients/conformance; a worker at an edge has no files to read them from. */
  readonly cases?: Runner;
  readonly life: Runner;
  /** Those of clients/life unless it says otherwise. */
  readonly steps?: readonly string[];
}

/** Where runtimes are put, and the libraries as they are built for their users. */
export interface RuntimeGround {
  /** Kept from run to run. */
  readonly cache: string;
  /** The folder `clients`. */
  readonly clients: string;
  /** The npm archive, unpacked below the runners, whose types are stripped. */
  readonly typescript: string;
  /** The wheel. */
  readonly wheel: string;
  /** Classes of the Java library and its runners, compiled for Java 17. */
  readonly classes: string;
  /** Folders that a container has to see, at the same path. */
  readonly seen: readonly string[];
}
