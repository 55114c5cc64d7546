/** Keeps what nobody may read in the database: a value is wrapped, and found again by a hash under a key of ours. */
export interface SecretKeeper {
  /** Wraps a text that belongs to a record; copied to another record it does not open. */
  readonly seal: (text: string, recordId: string) => Buffer;
  readonly unseal: (sealed: Uint8Array, recordId: string) => string;
  /** Finds a merchant's code or token: the same text of another merchant has another hash. */
  readonly hashOf: (text: string, clientId: string) => Buffer;
  /** A text that nobody can guess. */
  readonly newToken: () => string;
}
