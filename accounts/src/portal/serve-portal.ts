import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { html } from "../../../server/src/formats/html.ts";

/** A gateway to which the portal sends requests from the browser, with the person's token. */
export interface PortalGateway {
  readonly environment: "sandbox" | "live";
  /** The gateway's origin. */
  readonly url: string;
}

interface Options {
  /** The output folder of `portal/build/build-portal.ts`. */
  readonly folder: string;
  /** The page of the portal or of the operator console. */
  readonly page: "index.html" | "operator.html";
  readonly gateways: readonly PortalGateway[];
}

/**
 * `servePortal` serves the portal: one page for all addresses without another route, and its files, whose names
 * contain a digest of their content.
 */
export async function servePortal(
  app: FastifyInstance,
  { folder, page: name, gateways }: Options,
): Promise<void> {
  const page = await readFile(join(folder, name), "utf8");
  const assets = await readAssets(join(folder, "assets"));
  app.get<{ Params: { readonly name: string } }>("/assets/:name", async (request, reply) => {
    const asset = assets.get(request.params.name);
    return asset ? sendAsset(request, reply, asset) : reply.callNotFound();
  });
  app.get<{ Params: { readonly "*": string } }>("/*", async (request, reply) => {
    if (/^(?:accounts|assets)(?:\/|$)/.test(request.params["*"])) return reply.callNotFound();
    const nonce = randomBytes(16).toString("base64");
    return reply
      .header("content-type", "text/html; charset=utf-8")
      .header("content-security-policy", contentSecurityPolicy(nonce, gateways))
      .header("cache-control", "no-store")
      .send(fillTemplate(page, nonce, gateways));
  });
}

/**
 * `contentSecurityPolicy` returns the content security policy. Scripts are our own files. Styles are too, except those that
 * Mantine inserts into the page, which carry the nonce of this response. Requests may go only to accounts and the
 * configured gateways.
 */
function contentSecurityPolicy(nonce: string, gateways: readonly PortalGateway[]): string {
  const connect = ["'self'", ...gateways.map(({ url }) => new URL(url).origin)].join(" ");
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function fillTemplate(page: string, nonce: string, gateways: readonly PortalGateway[]): string {
  const environments = html`${JSON.stringify(gateways)}`.markup;
  // Functions, because `replace` interprets a dollar sign in a replacement text.
  return page.replaceAll("[[nonce]]", () => nonce).replaceAll("[[environments]]", () => environments);
}

interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  /** The Brotli file, if the build compressed the portal; see `portal/build/compress-portal.ts`. */
  readonly brotli: Buffer | undefined;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * `readAssets` reads all files at startup and compresses them once. No request contains a path on disk (path
 * traversal).
 */
async function readAssets(folder: string): Promise<ReadonlyMap<string, Asset>> {
  const names = (await readdir(folder)).filter((name) => extname(name) in contentTypes);
  const readAsset = names.map(async (name): Promise<[string, Asset]> => {
    const plain = await readFile(join(folder, name));
    const gzipped = await promisify(gzip)(plain, { level: 9 });
    const brotli = await readFile(join(folder, `${name}.br`)).catch(() => undefined);
    return [name, { type: contentTypes[extname(name)] ?? "", plain, gzipped, brotli }];
  });
  return new Map(await Promise.all(readAsset));
}

const immutableCacheControl = "public, max-age=31536000, immutable";

function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, plain, gzipped, brotli }: Asset,
): FastifyReply {
  const acceptEncoding = request.headers["accept-encoding"] ?? "";
  void reply
    .header("content-type", type)
    .header("cache-control", immutableCacheControl)
    .header("vary", "accept-encoding");
  if (brotli && /\bbr\b/.test(acceptEncoding)) return reply.header("content-encoding", "br").send(brotli);
  return /\bgzip\b/.test(acceptEncoding)
    ? reply.header("content-encoding", "gzip").send(gzipped)
    : reply.send(plain);
}
