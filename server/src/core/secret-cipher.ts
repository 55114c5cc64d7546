/** Protects secrets in the database: a value is stored encrypted, and is found by a keyed hash. */
export interface SecretCipher {
  /** Encrypts a text of a record. The ciphertext cannot be decrypted in another record. */
  readonly encrypt: (text: string, recordId: string) => Buffer;
  readonly decrypt: (ciphertext: Uint8Array, recordId: string) => string;
  /**
   * Hashes a merchant's code or token, so that the database can find it. The same text of another merchant has another
   * hash.
   */
  readonly keyedHash: (text: string, clientId: string) => Buffer;
  /** A random text that cannot be guessed. */
  readonly newToken: () => string;
}
