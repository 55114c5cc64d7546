import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { refuse } from "../core/result.ts";
import type { Environment } from "../postgres/migrate.ts";
import { leavesChunksUnread } from "./body-reader.ts";
import type { Shed } from "./connections.ts";
import { laneOf } from "./gateway.ts";
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
}

/**
 * Load shedding: an operation for which there is no place is told "later" before anything is made of its request. Under
 * overload most requests are refused, and what a refusal costs is taken from those that are served.
 */
export function shedLoad({ environment, publicUrl, headers, guard, log }: ShedOptions): Shed {
  const code = "REQUEST_TRAFFIC_EXCEED_LIMIT";
  const body = answerBody({ environment, docsUrl: `${publicUrl}/docs` }, refuse(code), {});
  const all = {
    ...headers,
    "retry-after": "1",
    "content-type": "application/json; charset=UTF-8",
    "content-length": String(body.length),
  };
  // A list is written as it stands, where an object would be checked name by name, every time.
  const lines = Object.entries(all).flat();
  const logRefusal = openStrangersLog(log, () => performance.now());

  return (request, response) => {
    const url = request.url ?? "";
    const { path, operationPath } = readTarget(url);
    if (guard.hasRoom(laneOf(operationPath)) || !isOperationTarget(url)) return false;
    const requestId = `req_${randomUUID()}`;
    const last = leavesChunksUnread(request) ? ["connection", "close"] : [];
    response.writeHead(200, [...lines, "request-id", requestId, ...last]);
    response.end(body);
    logRefusal({ requestId, path: path.slice(0, 200), address: request.socket.remoteAddress, code });
    return true;
  };
}
