import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";

export interface ServedText {
  readonly path: string;
  readonly type: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A text that stays the same as long as the process: asked for again each time, sent again when it has changed. */
export function serveText(app: FastifyInstance, { path, type, text, headers }: ServedText): void {
  const etag = `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  const shared = { ...headers, "cache-control": "no-cache", vary: "accept-encoding", etag };
  let compressed: Buffer | undefined;
  app.get(path, (request, reply) => {
    void reply.headers({ ...shared, "content-type": `${type}; charset=utf-8` });
    if (request.headers["if-none-match"]?.includes(etag)) return reply.code(304).send();
    if (!/\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) return reply.send(text);
    compressed ??= gzipSync(text, { level: 9 });
    return reply.header("content-encoding", "gzip").send(compressed);
  });
}
