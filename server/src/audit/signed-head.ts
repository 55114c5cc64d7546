import { formatAnchor, parseAnchor, type ChainHead } from "./audit-chain.ts";

/** The audit head at a time, signed with a gateway key: an anchor that the database administrator cannot forge. */
export interface SignedHead {
  readonly head: ChainHead;
  /** In seconds since 1970. */
  readonly at: number;
  readonly keyVersion: number;
  readonly signature: Buffer;
}

/** The signed bytes of an audit head. No other text that a gateway key signs has this beginning (domain separation). */
export function signedHeadBytes(
  environment: string,
  { head, at, keyVersion }: Omit<SignedHead, "signature">,
): Buffer {
  return Buffer.from(`tollgate audit head\n${environment}\n${formatAnchor(head)}\n${at}\n${keyVersion}`);
}

/** The text of a signed head, `COUNT:HASH:TIME:VERSION:SIGNATURE`, which begins like an anchor. */
export function formatSignedHead({ head, at, keyVersion, signature }: SignedHead): string {
  return [formatAnchor(head), at, keyVersion, signature.toString("base64url")].join(":");
}

export function parseSignedHead(text: string): SignedHead | undefined {
  const form = /^(\d+:[0-9a-f]*):(\d{1,12}):(\d{1,9}):([\w-]{40,1000})$/;
  const [, anchor = "", at, keyVersion, signature = ""] = form.exec(text.trim()) ?? [];
  const head = parseAnchor(anchor);
  if (!head) return undefined;
  return {
    head,
    at: Number(at),
    keyVersion: Number(keyVersion),
    signature: Buffer.from(signature, "base64url"),
  };
}

/** The field of the worker's log line that contains the signed head. */
export const auditHeadField = "auditHead";

/** Returns the anchor in a line of an anchor file or of a worker's log; undefined for other log lines. */
export function findAnchor(line: string): string | undefined {
  const text = line.trim();
  if (!text.includes("{")) return text;
  // journalctl adds a prefix to the log line, so the whole line is not JSON.
  return new RegExp(`"${auditHeadField}":"([^"]+)"`).exec(text)?.[1];
}
