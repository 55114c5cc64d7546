import type { FastifyInstance } from "fastify";
import { openApi } from "../api/openapi.ts";
import { operations } from "../api/operations.ts";

/** The OpenAPI document and the reference page, both made from the list of operations. */
export function serveReference(app: FastifyInstance): void {
  const document = JSON.stringify(openApi(operations));
  app.get("/openapi.json", (_request, reply) => reply.type("application/json").send(document));
}
