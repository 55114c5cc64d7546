/** What is sent, to the byte. It is always a POST. */
export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Nobody has to read more than one byte beyond: such an answer is refused. */
  readonly answerBytesMax: number;
  /** Aborts when the time is over or the caller has had enough. */
  readonly signal: AbortSignal;
}

/** An answer as it came, whole. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** An answer that has begun, and whose body goes on. */
export interface StreamResponse {
  readonly status: number;
  readonly headers: TransportResponse["headers"];
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request once. Rejects when there is no answer, or not all of it. Follows no redirect. */
export interface Transport {
  (request: TransportRequest): Promise<TransportResponse>;
  /** The same for answers that go on. Whoever follows the feed asks again and again where there is none. */
  readonly stream?: ((request: TransportRequest) => Promise<StreamResponse>) | undefined;
}

/** As the global one. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** What is asked of a `fetch`. */
export interface FetchInit {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

/** What is needed of its answer. */
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

/** Made once: whoever makes many clients should not hold many of these. */
let denoClient: object | undefined;

/**
 * Deno's `fetch` sends a request once more by itself when a connection that it has kept is reset, also one that may not be
 * repeated. What may is decided here, so connections are not kept there.
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

/** By hand: not every runtime can iterate a stream. */
async function* chunksOf(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = stream?.getReader();
  try {
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {};
      if (done || !value) return;
      yield value;
    }
  } finally {
    // It may have failed before; then nobody waits for it any more.
    await reader?.cancel().catch(() => undefined);
  }
}

/** Whoever answers without end, before anybody can know who it is, must not fill the memory. */
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

/** All values of a header, whatever the case of its name. */
export function headerValues(headers: TransportResponse["headers"], name: string): string[] {
  return headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
}
