import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import type { Environment } from "../postgres/migrate.ts";
import { leavesChunksUnread } from "./body-reader.ts";
import type { Shed } from "./connections.ts";
import { requestLaneOf } from "./gateway.ts";
import type { OverloadGuard } from "./overload.ts";
import { answerBody } from "./reply.ts";
import { openStrangersLog } from "./strangers-log.ts";
import { isOperationTarget, readTarget } from "./target.ts";

export interface ShedOptions {
  readonly environment: Environment;
  readonly publicUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly guard: OverloadGuard;
  readonly log: FastifyBaseLogger;
  readonly onShed: () => void;
}

/**
 * Load shedding: refuses an operation with "later" before its request is parsed further. Under overload most
 * requests are refused, so what a refusal costs is taken from those that are served.
 */
export function shedLoad({ environment, publicUrl, headers, guard, log, onShed }: ShedOptions): Shed {
  const code = "REQUEST_TRAFFIC_EXCEED_LIMIT";
  const body = answerBody({ environment, docsUrl: `${publicUrl}/docs` }, { code }, {});
  const all = {
    ...headers,
    "retry-after": "1",
    "content-type": "application/json; charset=UTF-8",
    "content-length": String(body.length),
  };
  // Node writes a list of headers as it is, but validates an object name by name on each call.
  const lines = Object.entries(all).flat();
  const logRefusal = openStrangersLog(log, () => performance.now());

  return (request, response) => {
    if (guard.hasRoom("new work") && guard.hasRoom("old work")) return false;
    const url = request.url ?? "";
    const { path, operationPath } = readTarget(url);
    if (guard.hasRoom(requestLaneOf(operationPath)) || !isOperationTarget(url)) return false;
    const requestId = `req_${randomUUID()}`;
    const last = leavesChunksUnread(request) ? ["connection", "close"] : [];
    response.writeHead(200, [...lines, "request-id", requestId, ...last]);
    response.end(body);
    onShed();
    logRefusal({ requestId, path: path.slice(0, 200), address: request.socket.remoteAddress, code });
    return true;
  };
}
