/** Keeps secrets that nobody may read in the database: a value is encrypted, and found again by a keyed hash. */
export interface SecretKeeper {
  /** Encrypts a text of a record. Copied to another record, it cannot be decrypted. */
  readonly seal: (text: string, recordId: string) => Buffer;
  readonly unseal: (sealed: Uint8Array, recordId: string) => string;
  /** Finds a merchant's code or token: the same text of another merchant has another hash. */
  readonly hashOf: (text: string, clientId: string) => Buffer;
  /** A text that nobody can guess. */
  readonly newToken: () => string;
}
