/** The key of a merchant's system. The bucket comes first in every key. */
export interface ClientKey {
  readonly bucket: number;
  readonly clientId: string;
}
