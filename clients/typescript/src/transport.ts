/** The request, byte for byte. The method is always POST. */
export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /**
   * The maximum size of the response in bytes. A transport can stop after one more byte, because the library
   * rejects a longer response.
   */
  readonly answerBytesMax: number;
  /** A signal that aborts at the time limit, or when the caller aborts. */
  readonly signal: AbortSignal;
}

/** A complete response, unmodified. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** A streaming response, whose body is still arriving. */
export interface StreamResponse {
  readonly status: number;
  readonly headers: TransportResponse["headers"];
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request once. Rejects if there is no complete response. Does not follow redirects. */
export interface Transport {
  (request: TransportRequest): Promise<TransportResponse>;
  /**
   * Sends a request once and returns a streaming response. If the transport has no such method, followers of
   * the feed poll.
   */
  readonly stream?: ((request: TransportRequest) => Promise<StreamResponse>) | undefined;
}

/** The signature of the global `fetch`. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** The parts of the request options that the library uses. */
export interface FetchInit {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

/** The parts of the response that the library uses. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: Iterable<readonly [string, string]>;
  readonly body: ReadableStream<Uint8Array> | null;
}

export function fetchTransport(send: Fetch = platformFetch): Transport {
  return Object.assign(
    async (request: TransportRequest): Promise<TransportResponse> => {
      const { status, headers, body } = await post(send, request);
      return { status, headers: [...headers], body: await readUpTo(request.answerBytesMax, body) };
    },
    {
      async stream(request: TransportRequest): Promise<StreamResponse> {
        const { status, headers, body } = await post(send, request);
        return { status, headers: [...headers], body: chunksOf(body) };
      },
    },
  );
}

interface DenoRuntime {
  createHttpClient(options: { readonly poolMaxIdlePerHost: number }): object;
}

/** The Deno HTTP client. It is created once, so that all clients of the library share it. */
let denoClient: object | undefined;

/**
 * When a kept-alive connection is reset, Deno's `fetch` resends the request by itself, even if it must not be
 * retried. The library decides about retries, so connections are not kept alive in Deno.
 */
function platformFetch(url: string, init: FetchInit): Promise<FetchResponse> {
  const { Deno } = globalThis as { readonly Deno?: DenoRuntime };
  if (typeof Deno?.createHttpClient !== "function") return fetch(url, init);
  denoClient ??= Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  return fetch(url, { ...init, client: denoClient } as FetchInit);
}

function post(send: Fetch, { url, headers, body, signal }: TransportRequest): Promise<FetchResponse> {
  return send(url, {
    method: "POST",
    headers: { ...headers },
    body: new Uint8Array(body),
    redirect: "manual",
    signal,
  });
}

/** Reads a stream chunk by chunk, because not every runtime can iterate a stream. */
async function* chunksOf(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = stream?.getReader();
  try {
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {};
      if (done || !value) return;
      yield value;
    }
  } finally {
    // An error of the cancel is ignored, because the stream may have failed before.
    await reader?.cancel().catch(() => undefined);
  }
}

/**
 * Limits the size of a response: an endless response could otherwise fill the memory before its signature is
 * verified.
 */
async function readUpTo(bytesMax: number, stream: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = stream?.getReader();
  while (reader && bytes <= bytesMax) {
    const { done, value } = await reader.read();
    if (done) return joined(chunks, bytes);
    chunks.push(value);
    bytes += value.length;
  }
  await reader?.cancel();
  return joined(chunks, bytes);
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** All values of a header; the name is case-insensitive. */
export function headerValues(headers: TransportResponse["headers"], name: string): string[] {
  return headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
}
