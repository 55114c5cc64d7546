import type { Transport } from "../../clients/typescript/src/generated/package.ts";

/** A request as the cashier may see it: without headers, so without keys and signatures. */
export interface Call {
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
export interface Calls {
  readonly transport: Transport;
  note(call: Omit<Call, "number" | "at">): void;
  /** Oldest first. */
  last(): readonly Call[];
}

const countMax = 60;

export function newCalls(onCall: (call: Call) => void): Calls {
  let number = 0;
  let kept: readonly Call[] = [];
  const note: Calls["note"] = (call) => {
    number += 1;
    const noted = { number, at: new Date().toISOString(), ...call };
    kept = [...kept, noted].slice(-countMax);
    onCall(noted);
  };
  const transport: Transport = async ({ url, headers, body, signal }) => {
    const startedAtMs = performance.now();
    const call = {
      direction: "out",
      method: "POST",
      path: new URL(url).pathname,
      request: masked(body),
    } as const;
    const tookMs = (): number => Math.round(performance.now() - startedAtMs);
    try {
      const sent = { method: "POST", headers: { ...headers }, body: new Uint8Array(body), signal };
      const response = await fetch(url, { ...sent, redirect: "manual" });
      const bytes = new Uint8Array(await response.arrayBuffer());
      note({ ...call, status: response.status, answer: parsed(bytes), durationMs: tookMs() });
      return { status: response.status, headers: [...response.headers], body: bytes };
    } catch (error) {
      note({ ...call, durationMs: tookMs() });
      throw error;
    }
  };
  return { transport, note, last: () => kept };
}

/** Hides the buyer's code, which can be used to pay until it is used. */
function masked(body: Uint8Array): unknown {
  return JSON.parse(textOf(body), (name, value: unknown) =>
    name === "paymentMethodId" && typeof value === "string" ? `…${value.slice(-4)}` : value,
  );
}

function parsed(bytes: Uint8Array): unknown {
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
