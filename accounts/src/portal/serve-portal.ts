import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { html } from "../../../server/src/core/html.ts";

/** A gateway that the portal asks from the browser, with the token of whoever is signed in. */
export interface PortalGateway {
  readonly environment: "sandbox" | "live";
  /** Its origin. */
  readonly url: string;
}

interface Options {
  /** What `portal/build/build-portal.ts` has made. */
  readonly folder: string;
  /** The portal's page, or that of the operator's console. */
  readonly page: "index.html" | "operator.html";
  readonly gateways: readonly PortalGateway[];
}

/** Serves the portal: one page at every address that is nobody else's, and its files, whose names change with their content. */
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
      .header("content-security-policy", policyOf(nonce, gateways))
      .header("cache-control", "no-store")
      .send(fillIn(page, nonce, gateways));
  });
}

/**
 * Content security policy. Scripts are files of ours alone. Styles as well, but for those that Mantine writes into the page: they carry
 * the nonce of this one answer. Requests go to accounts and to the configured gateways.
 */
function policyOf(nonce: string, gateways: readonly PortalGateway[]): string {
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

function fillIn(page: string, nonce: string, gateways: readonly PortalGateway[]): string {
  const environments = html`${JSON.stringify(gateways)}`.markup;
  // As functions, because a dollar sign in a text means something else to `replace`.
  return page.replaceAll("[[nonce]]", () => nonce).replaceAll("[[environments]]", () => environments);
}

interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  /** Where the portal was built for others; see `portal/build/compress-portal.ts`. */
  readonly brotli: Buffer | undefined;
}

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Read and compressed once, at the start: there are few, and no request names a file of the disk. */
async function readAssets(folder: string): Promise<ReadonlyMap<string, Asset>> {
  const names = (await readdir(folder)).filter((name) => extname(name) in types);
  const read = names.map(async (name): Promise<[string, Asset]> => {
    const plain = await readFile(join(folder, name));
    const gzipped = await promisify(gzip)(plain, { level: 9 });
    const brotli = await readFile(join(folder, `${name}.br`)).catch(() => undefined);
    return [name, { type: types[extname(name)] ?? "", plain, gzipped, brotli }];
  });
  return new Map(await Promise.all(read));
}

const forever = "public, max-age=31536000, immutable";

function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, plain, gzipped, brotli }: Asset,
): FastifyReply {
  const taken = request.headers["accept-encoding"] ?? "";
  void reply.header("content-type", type).header("cache-control", forever).header("vary", "accept-encoding");
  if (brotli && /\bbr\b/.test(taken)) return reply.header("content-encoding", "br").send(brotli);
  return /\bgzip\b/.test(taken) ? reply.header("content-encoding", "gzip").send(gzipped) : reply.send(plain);
}
