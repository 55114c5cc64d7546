import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";

export interface ServedText {
  readonly path: string;
  readonly type: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Load shedding: pages can wait while payments need the time. */
  readonly overloaded: () => boolean;
}

/**
 * A text that is constant for the life of the process. Browsers revalidate it by ETag each time. Encoded and
 * compressed once (cached): for a long text either takes longer than the rest of the answer.
 */
export function serveText(app: FastifyInstance, served: ServedText): void {
  const { path, type, headers, overloaded } = served;
  const bytes = Buffer.from(served.text, "utf8");
  const etag = `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  const shared = { ...headers, "cache-control": "no-cache", vary: "accept-encoding", etag };
  let compressed: Promise<Buffer> | undefined;
  app.get(path, async (request, reply) => {
    if (overloaded())
      return reply
        .headers({ ...headers, "retry-after": "5" })
        .code(503)
        .send();
    void reply.headers({ ...shared, "content-type": `${type}; charset=utf-8` });
    if (request.headers["if-none-match"]?.includes(etag)) return reply.code(304).send();
    if (!/\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) return reply.send(bytes);
    compressed ??= promisify(gzip)(bytes, { level: 9 });
    return reply.header("content-encoding", "gzip").send(await compressed);
  });
}
