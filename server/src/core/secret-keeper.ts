/** Protects secrets in the database: a value is stored encrypted, and is found by a keyed hash. */
export interface SecretKeeper {
  /** Encrypts a text of a record. The ciphertext cannot be decrypted in another record. */
  readonly seal: (text: string, recordId: string) => Buffer;
  readonly unseal: (sealed: Uint8Array, recordId: string) => string;
  /**
   * Hashes a merchant's code or token, so that the database can find it. The same text of another merchant has another
   * hash.
   */
  readonly hashOf: (text: string, clientId: string) => Buffer;
  /** A random text that cannot be guessed. */
  readonly newToken: () => string;
}
