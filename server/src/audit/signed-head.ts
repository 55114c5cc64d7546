import { anchorText, readAnchor, type ChainHead } from "./audit-chain.ts";

/** The head of the audit at a time, with the signature of a gateway key: an anchor that the database's administrator cannot make. */
export interface SignedHead {
  readonly head: ChainHead;
  /** In seconds since 1970. */
  readonly at: number;
  readonly keyVersion: number;
  readonly signature: Buffer;
}

/** The bytes that are signed. No other text that a gateway key signs begins so. */
export function headBytes(
  environment: string,
  { head, at, keyVersion }: Omit<SignedHead, "signature">,
): Buffer {
  return Buffer.from(`tollgate audit head\n${environment}\n${anchorText(head)}\n${at}\n${keyVersion}`);
}

/** `COUNT:HASH:TIME:VERSION:SIGNATURE`, which begins as an anchor does. */
export function signedHeadText({ head, at, keyVersion, signature }: SignedHead): string {
  return [anchorText(head), at, keyVersion, signature.toString("base64url")].join(":");
}

export function readSignedHead(text: string): SignedHead | undefined {
  const form = /^(\d+:[0-9a-f]*):(\d{1,12}):(\d{1,9}):([\w-]{40,1000})$/;
  const [, anchor = "", at, keyVersion, signature = ""] = form.exec(text.trim()) ?? [];
  const head = readAnchor(anchor);
  if (!head) return undefined;
  return {
    head,
    at: Number(at),
    keyVersion: Number(keyVersion),
    signature: Buffer.from(signature, "base64url"),
  };
}

/** The field of the log line in which a worker tells it. */
export const headField = "auditHead";

/** The anchor in a line of a file of anchors or of a worker's log; undefined for a line of the log that tells of something else. */
export function anchorIn(line: string): string | undefined {
  const text = line.trim();
  if (!text.includes("{")) return text;
  // journalctl writes its own words before the line.
  return new RegExp(`"${headField}":"([^"]+)"`).exec(text)?.[1];
}
