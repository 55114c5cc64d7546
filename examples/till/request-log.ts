import type { Transport } from "../../clients/typescript/src/generated/package.ts";

/** A request as the cashier may see it: without headers, so without keys and signatures. */
export interface LoggedRequest {
  readonly number: number;
  readonly at: string;
  /** "out": a request to the gateway. "in": a webhook. */
  readonly direction: "out" | "in";
  readonly method: string;
  readonly path: string;
  readonly request: unknown;
  /** Undefined without a response. */
  readonly status?: number;
  readonly answer?: unknown;
  readonly durationMs: number;
}

/** The last requests, and a client that records them. */
export interface RequestLog {
  readonly transport: Transport;
  add(call: Omit<LoggedRequest, "number" | "at">): void;
  /** Oldest first. */
  list(): readonly LoggedRequest[];
}

const countMax = 60;

export function createRequestLog(onRequest: (call: LoggedRequest) => void): RequestLog {
  let number = 0;
  let entries: readonly LoggedRequest[] = [];
  const add: RequestLog["add"] = (call) => {
    number += 1;
    const entry = { number, at: new Date().toISOString(), ...call };
    entries = [...entries, entry].slice(-countMax);
    onRequest(entry);
  };
  const transport: Transport = async ({ url, headers, body, signal }) => {
    const startedAtMs = performance.now();
    const call = {
      direction: "out",
      method: "POST",
      path: new URL(url).pathname,
      request: maskPaymentCode(body),
    } as const;
    const elapsedMs = (): number => Math.round(performance.now() - startedAtMs);
    try {
      const sent = { method: "POST", headers: { ...headers }, body: new Uint8Array(body), signal };
      const response = await fetch(url, { ...sent, redirect: "manual" });
      const bytes = new Uint8Array(await response.arrayBuffer());
      add({ ...call, status: response.status, answer: parseBody(bytes), durationMs: elapsedMs() });
      return { status: response.status, headers: [...response.headers], body: bytes };
    } catch (error) {
      add({ ...call, durationMs: elapsedMs() });
      throw error;
    }
  };
  return { transport, add, list: () => entries };
}

/** Hides the buyer's code, which can be used to pay until it is used. */
function maskPaymentCode(body: Uint8Array): unknown {
  return JSON.parse(textOf(body), (name, value: unknown) =>
    name === "paymentMethodId" && typeof value === "string" ? `…${value.slice(-4)}` : value,
  );
}

function parseBody(bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(0, 200);
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
