/** The key of a client. The bucket is the first column of each primary key. */
export interface ClientKey {
  readonly bucket: number;
  readonly clientId: string;
}
