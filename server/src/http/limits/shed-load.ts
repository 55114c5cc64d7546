import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import type { Environment } from "../../postgres/migrate.ts";
import { leavesChunksUnread } from "../merchant-api/body-reader.ts";
import type { ShedRequest } from "./connections.ts";
import { requestQueueOf } from "../merchant-api/gateway.ts";
import type { OverloadGuard } from "./overload-guard.ts";
import { answerBody } from "../merchant-api/reply.ts";
import { openUnauthenticatedLog } from "../merchant-api/unauthenticated-log.ts";
import { isOperationTarget, readTarget } from "../merchant-api/target.ts";

export interface ShedOptions {
  readonly environment: Environment;
  readonly publicUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly guard: OverloadGuard;
  readonly log: FastifyBaseLogger;
  readonly onShed: () => void;
}

/**
 * Load shedding: rejects an operation with "retry later" before its request is parsed further. Under overload most
 * requests are rejected, so a rejection has to be cheap.
 */
export function shedLoad({ environment, publicUrl, headers, guard, log, onShed }: ShedOptions): ShedRequest {
  const code = "REQUEST_TRAFFIC_EXCEED_LIMIT";
  const body = answerBody({ environment, docsUrl: `${publicUrl}/docs` }, { code }, {});
  const allHeaders = {
    ...headers,
    "retry-after": "1",
    "content-type": "application/json; charset=UTF-8",
    "content-length": String(body.length),
  };
  // Headers as a flat list, because Node writes a flat list unchanged, but validates an object name by name for each
  // response.
  const headerList = Object.entries(allHeaders).flat();
  const logRefusal = openUnauthenticatedLog(log, () => performance.now());

  return (request, response) => {
    if (guard.hasFreeSlot("new work") && guard.hasFreeSlot("old work")) return false;
    const url = request.url ?? "";
    const { path, operationPath } = readTarget(url);
    if (guard.hasFreeSlot(requestQueueOf(operationPath)) || !isOperationTarget(url)) return false;
    const requestId = `req_${randomUUID()}`;
    const closeHeader = leavesChunksUnread(request) ? ["connection", "close"] : [];
    response.writeHead(200, [...headerList, "request-id", requestId, ...closeHeader]);
    response.end(body);
    onShed();
    logRefusal({ requestId, path: path.slice(0, 200), address: request.socket.remoteAddress, code });
    return true;
  };
}
