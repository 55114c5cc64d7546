/** An isolated test merchant ("universe") of the sandbox, for one test run: a client with its own clock and data. */
export interface Universe {
  readonly clientId: string;
  readonly name: string;
  readonly openedAt: Date;
  /** When the test merchant is closed automatically. */
  readonly closesAt: Date;
}

/** Request for an isolated test merchant. */
export interface NewUniverse {
  readonly name: string;
  /** The merchant's public key, as SubjectPublicKeyInfo (DER). */
  readonly publicKey: Uint8Array;
  /** Lifetime in seconds. The operator's limit applies if it is undefined or longer than the limit. */
  readonly lifetimeSeconds: number | undefined;
}

/** Facts that the database returns for a new isolated test merchant. The merchant's key has version 1. */
export interface CreatedUniverse {
  readonly clientId: string;
  readonly gatewayKeyVersion: number;
  readonly closesAt: Date;
}

/** Limits of an installation, which the operator sets. */
export interface UniverseLimits {
  readonly openMax: number;
  /** Maximum number of open and closed test merchants. Closed ones count until the sweep deletes them. */
  readonly keptMax: number;
  readonly lifetimeSeconds: number;
}
