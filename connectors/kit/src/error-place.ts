/** The file and line of an error, for the log. The message of an error could contain a secret, and its place cannot. */
export function errorPlace(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const place = /\bat .*?([\w.-]+\.ts:\d+):\d+/.exec(stack)?.[1];
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return `exception at ${place ?? "an unknown place"}${code}`;
}
