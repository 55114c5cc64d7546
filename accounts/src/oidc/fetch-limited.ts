/** The identity provider cannot be reached, responds too late, or sends too much. This is a fault, not a refusal. */
export class IdentityProviderUnreachable extends Error {
  constructor(cause: unknown) {
    super("The identity provider did not respond within the limits of time and size.", { cause });
  }
}

type Init = Omit<RequestInit, "body"> & { readonly body?: URLSearchParams | undefined };

const timeoutMs = 5_000;
const bytesMax = 256 * 1024;

/**
 * `fetchLimited` is the fetch function for the OpenID libraries, which limit neither time nor size of a response.
 * Redirects are rejected, because a redirect would send the client secret to another host.
 */
export async function fetchLimited(url: string, { body, ...init }: Init): Promise<Response> {
  try {
    // The signal also aborts the response body.
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...init, body: body ?? null, redirect: "error", signal });
    const { status, headers } = response;
    return new Response(await readLimited(response), { status, headers });
  } catch (cause) {
    throw new IdentityProviderUnreachable(cause);
  }
}

async function readLimited(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // An exception that leaves the loop cancels the rest of the response body.
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > bytesMax)
      throw new Error(`The identity provider's response is larger than ${bytesMax} bytes.`);
    chunks.push(chunk);
  }
  // A response with status 204 must not have a body, not even an empty one.
  return length === 0 ? null : Buffer.concat(chunks);
}
