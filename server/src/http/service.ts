import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { operations } from "../api/operations.ts";
import type { RegionalHost } from "../core/regional-host.ts";
import { attemptsMax } from "../notifications/notification.ts";
import { answersOwedBeforeProofMax, answersOwedMax } from "./connections.ts";
import { bodyBytesMax, headersMax } from "./admit.ts";
import type { OverloadGuard } from "./overload.ts";
import { serveText } from "./serve-text.ts";

interface Service {
  readonly environment: string;
  readonly hosts: readonly RegionalHost[];
  readonly guard: Pick<OverloadGuard, "overloaded">;
}

const versionPolicy =
  "The version is part of the path. What is added to v1 breaks nobody: new operations, new fields in answers, new " +
  "result codes. What would break somebody gets a new version beside the old one, and the old one stays for at least two years.";

/** Discovery document, for a caller before its first call: host names, version, limits, changes. */
export function serveService(app: FastifyInstance, { environment, hosts, guard }: Service): void {
  const about = {
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
      answersOwedPerConnection: answersOwedMax,
      answersOwedBeforeProof: answersOwedBeforeProofMax,
      answerSeconds: 10,
      requestTimeToleranceSeconds: 600,
      notificationAttempts: attemptsMax,
    },
    changesPath: "/changes",
    referencePath: "/docs",
  };
  const headers = { "access-control-allow-origin": "*" };
  const text = `${JSON.stringify(about, undefined, 2)}\n`;
  const { overloaded } = guard;
  serveText(app, { path: "/service", type: "application/json", text, headers, overloaded });
  const changes = readFileSync(new URL("../../../CHANGELOG.md", import.meta.url), "utf8");
  serveText(app, { path: "/changes", type: "text/markdown", text: changes, headers, overloaded });
}
