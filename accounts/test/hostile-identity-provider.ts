import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { gzipSync } from "node:zlib";
import { openIdentityProvider, type IdentityProvider } from "../src/oidc/identity-provider.ts";
import type { Identity } from "../src/oidc/id-token.ts";

const documents = ["discovery", "keys", "token"] as const;
export type Document = (typeof documents)[number];

/** An identity provider on a real connection, whose documents a test can set freely. */
export interface HostileIdentityProvider {
  readonly issuer: string;
  /** Fields that are added to the discovery document. */
  discovery: object;
  keys: unknown;
  /** Fields that are added to the token response. */
  token: object;
  /** Replaces the response to a document. Returns true if it has responded. */
  misbehave: (document: Document, response: ServerResponse) => boolean;
  /** Number of requests for each document; body and headers of the last token request. */
  readonly requests: Record<Document, number>;
  tokenRequest: { readonly body: URLSearchParams; readonly authorization: string | undefined };
  /** `open` returns a new client with empty caches. */
  open(): IdentityProvider;
}

export const clientId = "tollgate";
export const clientSecret = "a client secret of the test, long enough";

export const signIn = {
  redirectUri: "https://portal.example/accounts/oidc/return",
  state: "the state",
  nonce: "the nonce",
  codeVerifier: "a code verifier of the test, of at least 43 characters",
};

/** `identify` completes a sign-in with the provider's authorization response. `more` are additional parameters. */
export function identify(provider: IdentityProvider, more: object = {}): Promise<Identity | undefined> {
  const parameters = { state: signIn.state, code: "code", ...more };
  return provider.identify(new URLSearchParams(parameters), signIn);
}

export async function startHostileIdentityProvider(): Promise<HostileIdentityProvider> {
  // A test can create keys for several seconds, and its connection must stay open.
  const keepAliveTimeout = 600_000;
  const server = createServer({ keepAliveTimeout }, (request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider: HostileIdentityProvider = {
    issuer,
    discovery: {},
    keys: [],
    token: {},
    misbehave: () => false,
    requests: { discovery: 0, keys: 0, token: 0 },
    tokenRequest: { body: new URLSearchParams(), authorization: undefined },
    open: () => openIdentityProvider({ issuer, clientId, clientSecret, name: "Test", domains: [] }),
  };
  const bodies: Readonly<Record<Document, () => object>> = {
    discovery: () => ({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      ...provider.discovery,
    }),
    keys: () => ({ keys: provider.keys }),
    token: () => ({ access_token: "access", token_type: "Bearer", ...provider.token }),
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = await request.toArray();
    const document = documents.find((each) => request.url === `/${each}`) ?? "discovery";
    provider.requests[document] += 1;
    const { authorization } = request.headers;
    const body = new URLSearchParams(Buffer.concat(chunks).toString());
    if (document === "token") provider.tokenRequest = { body, authorization };
    if (provider.misbehave(document, response)) return;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(bodies[document]()));
  }
  return provider;
}

/**
 * `writeLong` writes a JSON document of this length and returns the number of bytes that were accepted before the
 * connection ended.
 */
export function writeLong(response: ServerResponse, megabytes: number): { written: number } {
  const progress = { written: 0 };
  const piece = " ".repeat(2 ** 20);
  response.setHeader("content-type", "application/json");
  const more = (): void => {
    for (; progress.written < megabytes;) {
      progress.written += 1;
      if (!response.write(piece)) return void response.once("drain", more);
    }
    response.end("{}");
  };
  more();
  return progress;
}

/** `writeCompressed` sends about one kilobyte for each megabyte of decompressed data. */
export function writeCompressed(response: ServerResponse, megabytes: number): void {
  response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
  response.end(gzipSync(Buffer.alloc(megabytes * 2 ** 20, " ")));
}
