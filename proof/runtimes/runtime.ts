import type { Runner } from "../../clients/runner.ts";

/** A version of a language in which merchants use a client library. */
export interface Runtime {
  /** The name for selection: `node-20`. */
  readonly name: string;
  readonly library: "TypeScript" | "Python" | "PHP" | "Java" | "Go";
  /** Its source, for the report. */
  readonly source: string;
  /** Installs the runtime; throws if it is not available. */
  install(builds: LibraryBuilds): Promise<InstalledRuntime>;
}

/** An installed runtime, and how it runs a library's programs. */
export interface InstalledRuntime {
  /** As the runtime prints it. */
  readonly version: string;
  /**
   * Runs all cases of clients/conformance; absent for an edge worker, which has no files from which to read the cases.
   */
  readonly cases?: Runner;
  readonly life: Runner;
  /** The steps that `life` must complete; by default all steps of clients/life. */
  readonly steps?: readonly string[];
}

/** The folders of runtimes, and the client libraries as their users install them. */
export interface LibraryBuilds {
  /** Kept between runs. */
  readonly cache: string;
  /** The folder `clients`. */
  readonly clients: string;
  /** The npm archive, unpacked below the runners, whose types are stripped. */
  readonly typescript: string;
  /** The wheel. */
  readonly wheel: string;
  /** Classes of the Java library and its runners, compiled for Java 17. */
  readonly classes: string;
  /** Folders that a container mounts at the same path. */
  readonly mountedFolders: readonly string[];
}
