/** The parts of a message that its signature covers. Answers carry the path of their request. */
export interface SignedParts {
  readonly method: string;
  /** With the query, exactly as it was received or will be sent. */
  readonly path: string;
  readonly clientId: string;
  /** The time header as sent, not parsed. */
  readonly time: string;
  readonly body: Uint8Array;
}

/** `POST /path\nclient.time.body`, over the raw bytes of the body, never over re-serialised JSON. */
export function signedText({ method, path, clientId, time, body }: SignedParts): Buffer {
  return Buffer.concat([Buffer.from(`${method} ${path}\n${clientId}.${time}.`, "utf8"), body]);
}
