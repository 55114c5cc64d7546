/** An isolated merchant of the sandbox, for one test run: a client of its own, with its own clock and data. */
export interface Universe {
  readonly clientId: string;
  readonly name: string;
  readonly openedAt: Date;
  /** When it closes by itself. */
  readonly closesAt: Date;
}

/** What is asked for when one is opened. */
export interface NewUniverse {
  readonly name: string;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  /** The operator's limit when it is undefined or beyond that. */
  readonly lifetimeSeconds: number | undefined;
}

/** What only the database knows of one that was opened. Its key has version 1. */
export interface OpenedUniverse {
  readonly clientId: string;
  readonly gatewayKeyVersion: number;
  readonly closesAt: Date;
}

/** An installation's limits, which the operator sets. */
export interface UniverseLimits {
  readonly openMax: number;
  /** Open ones, and closed ones that wait for the sweep. */
  readonly keptMax: number;
  readonly lifetimeSeconds: number;
}
