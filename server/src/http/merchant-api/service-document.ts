import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { operations } from "../../catalog/operations.ts";
import type { RegionalHost } from "../../core/regional-host.ts";
import { attemptsMax } from "../../notifications/notification.ts";
import { unansweredBeforeAuthenticationMax, unansweredRequestsMax } from "../limits/connections.ts";
import { bodyBytesMax, headersMax } from "./admit.ts";
import type { OverloadGuard } from "../limits/overload-guard.ts";
import { serveText } from "../pages/serve-text.ts";

interface ServiceOptions {
  readonly environment: string;
  readonly hosts: readonly RegionalHost[];
  readonly guard: Pick<OverloadGuard, "isOverloaded">;
}

const versionPolicy =
  "The version is part of the path. Compatible additions to v1 need no new version: new operations, new fields in responses, new " +
  "result codes. An incompatible change gets a new version; the old one stays available for at least two years.";

/** Serves the discovery document for a caller before its first request: host names, version, limits, changes. */
export function serveServiceDocument(
  app: FastifyInstance,
  { environment, hosts, guard }: ServiceOptions,
): void {
  const serviceDocument = {
    environment,
    versions: [{ version: "v1", standing: "CURRENT" }],
    versionPolicy,
    hosts,
    limits: {
      bodyBytes: bodyBytesMax,
      bodyBytesByOperation: Object.fromEntries(
        operations.flatMap((each) => (each.bodyBytesMax ? [[each.path, each.bodyBytesMax]] : [])),
      ),
      headerLines: headersMax,
      answersOwedPerConnection: unansweredRequestsMax,
      answersOwedBeforeProof: unansweredBeforeAuthenticationMax,
      answerSeconds: 10,
      requestTimeToleranceSeconds: 600,
      notificationAttempts: attemptsMax,
    },
    changesPath: "/changes",
    referencePath: "/docs",
  };
  const headers = { "access-control-allow-origin": "*" };
  const text = `${JSON.stringify(serviceDocument, undefined, 2)}\n`;
  const { isOverloaded } = guard;
  serveText(app, { path: "/service", type: "application/json", text, headers, isOverloaded });
  const changes = readFileSync(new URL("../../../../CHANGELOG.md", import.meta.url), "utf8");
  serveText(app, { path: "/changes", type: "text/markdown", text: changes, headers, isOverloaded });
}
