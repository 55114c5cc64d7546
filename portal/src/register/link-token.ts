/** `readLinkToken` returns the token of a link in an email. It is after the `#`, which browsers do not send to servers. */
export function readLinkToken(): string {
  return globalThis.location.hash.slice(1);
}
