/** The parts of a message that its signature covers. Responses have the path of their request. */
export interface SignedParts {
  readonly method: string;
  /** The path with its query, exactly as received or sent. */
  readonly path: string;
  readonly clientId: string;
  /** The time header as sent, not parsed. */
  readonly time: string;
  readonly body: Uint8Array;
}

/** `beforeBody` returns `METHOD PATH\nCLIENT.TIME.`, the signed text up to the body. */
export function textBeforeBody({ method, path, clientId, time }: Omit<SignedParts, "body">): string {
  return `${method} ${path}\n${clientId}.${time}.`;
}

/**
 * `signedText` returns `POST /path\nclient.time.body`, over the raw bytes of the body, never over re-serialised JSON.
 */
export function signedText(parts: SignedParts): Buffer {
  return Buffer.concat([Buffer.from(textBeforeBody(parts), "utf8"), parts.body]);
}
