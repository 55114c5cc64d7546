/** A person: somebody who has opened a link that was sent to this address. */
export interface Person {
  readonly personId: string;
  readonly email: string;
  readonly name: string;
}

/** One spelling of an address. What stands before the @ may be case-sensitive in theory; nobody relies on it. */
export function toEmail(text: string): string {
  return text.trim().normalize("NFKC").toLowerCase();
}
