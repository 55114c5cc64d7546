import type { CallProvider } from "../connector.ts";

const responseBytesMax = 1024 * 1024;

/** `newCallProvider` makes HTTP requests to a provider. No answer within the timeout is an unknown outcome. */
export function newCallProvider(timeoutMs: number): CallProvider {
  return async ({ method, url, headers = {}, body }) => {
    try {
      const response = await fetch(url, {
        method,
        headers,
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
        ...(body !== undefined && { body }),
      });
      const text = await response.text();
      if (text.length > responseBytesMax) return { outcome: "unknown", reason: "the answer is too long" };
      const { status } = response;
      return { outcome: "answered", status, text, header: (name) => response.headers.get(name) ?? undefined };
    } catch (error) {
      const isTimeout = error instanceof Error && error.name === "TimeoutError";
      return { outcome: "unknown", reason: isTimeout ? "no answer in time" : "the connection failed" };
    }
  };
}
