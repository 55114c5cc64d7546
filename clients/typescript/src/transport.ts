/** What is sent, to the byte. It is always a POST. */
export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Aborts when the time is over or the caller has had enough. */
  readonly signal: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** Sends a request once. Rejects when there is no answer, or not all of it. Follows no redirect. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

export const fetchTransport: Transport = async ({ url, headers, body, signal }) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers },
    body: new Uint8Array(body),
    redirect: "manual",
    signal,
  });
  return {
    status: response.status,
    headers: [...response.headers],
    body: new Uint8Array(await response.arrayBuffer()),
  };
};

/** All values of a header, whatever the case of its name. */
export function headerValues(headers: TransportResponse["headers"], name: string): string[] {
  return headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
}
