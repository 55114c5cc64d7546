import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";

export interface ServedText {
  readonly path: string;
  readonly type: string;
  /** The text, or a function that returns it and is called once, at the first request. */
  readonly text: string | (() => string);
  readonly headers: Readonly<Record<string, string>>;
  /** Load shedding: under overload pages wait, because payments need the time. */
  readonly isOverloaded: () => boolean;
}

/**
 * Serves a text that is constant for the life of the process. Browsers revalidate the text by ETag. Rendering, encoding
 * and compression are done once and cached, because they take longer than the rest of the response.
 */
export function serveText(app: FastifyInstance, options: ServedText): void {
  const { path, type, headers, isOverloaded } = options;
  let encoded: Encoded | undefined;
  app.get(path, async (request, reply) => {
    if (isOverloaded())
      return reply
        .headers({ ...headers, "retry-after": "5" })
        .code(503)
        .send();
    encoded ??= encode(typeof options.text === "string" ? options.text : options.text());
    const { bytes, etag } = encoded;
    const cacheHeaders = { ...headers, "cache-control": "no-cache", vary: "accept-encoding", etag };
    void reply.headers({ ...cacheHeaders, "content-type": `${type}; charset=utf-8` });
    if (request.headers["if-none-match"]?.includes(etag)) return reply.code(304).send();
    if (!/\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) return reply.send(bytes);
    encoded.compressed ??= promisify(gzip)(bytes, { level: 9 });
    return reply.header("content-encoding", "gzip").send(await encoded.compressed);
  });
}

interface Encoded {
  readonly bytes: Buffer;
  readonly etag: string;
  compressed?: Promise<Buffer>;
}

function encode(text: string): Encoded {
  const bytes = Buffer.from(text, "utf8");
  return { bytes, etag: `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
}
