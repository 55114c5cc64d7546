/** Protects secrets in the database: a value is stored encrypted, and is found by a keyed hash. */
export interface SecretKeeper {
  /** Encrypts a text of a record. Copied to another record, it cannot be decrypted. */
  readonly seal: (text: string, recordId: string) => Buffer;
  readonly unseal: (sealed: Uint8Array, recordId: string) => string;
  /** Finds a merchant's code or token. The same text of another merchant has another hash. */
  readonly hashOf: (text: string, clientId: string) => Buffer;
  /** A random text that cannot be guessed. */
  readonly newToken: () => string;
}
