import { randomInt } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { bucketOf } from "../../src/core/bucket.ts";
import { newId } from "../../src/core/id.ts";
import { endpointQueue } from "../../src/notifications/notification.ts";
import type { NotificationKind } from "../../src/notifications/notification-kinds.ts";
import { asSuperuser, type TestDatabase } from "../start/test-database.ts";
import { waitForLine, startTestProcess, type TestProcess } from "../start/test-process.ts";

interface NotificationFields {
  readonly count?: number;
  readonly url?: string | undefined;
  readonly kind?: NotificationKind;
  readonly subjectId?: string;
}

/** Inserts due webhooks, as if an event had just happened. Returns their ids. */
export async function insertTestNotifications(
  database: TestDatabase,
  clientId: string,
  { count = 1, url, kind = "notifyPayment", subjectId = "some-payment" }: NotificationFields,
): Promise<readonly string[]> {
  const bucket = bucketOf(clientId);
  const now = new Date();
  const ids = Array.from({ length: count }, () =>
    newId("notification", bucket, now, (below) => randomInt(below)),
  );
  const bodies = ids.map((id, index) =>
    Buffer.from(JSON.stringify({ notificationId: id, sequence: index + 1, madeAt: now.toISOString() })),
  );
  await asSuperuser(
    `with given as (
       select id, body, row_number() over () as sequence from unnest($1::text[], $2::bytea[]) as given (id, body)
     ), told as (
       insert into notifications (bucket, notification_id, client_id, kind, subject_id, sequence, url, body, created_at)
       select $3, id, $4, $5, $6, sequence, $7, body, clock_timestamp() from given
     )
     insert into jobs (bucket, subject_id, job, client_id, queue, due_at)
     select $3, id, 'deliver-notification', $4, $8, clock_timestamp() from given`,
    [ids, bodies, bucket, clientId, kind, subjectId, url ?? null, endpointQueue({ clientId, kind, url })],
    database.superuserUrl,
  );
  return ids;
}

/** A worker that only delivers webhooks. */
export async function startDeliveryWorker(
  database: TestDatabase,
  variables: Readonly<Record<string, string>>,
): Promise<TestProcess> {
  const workerVariables = { TOLLGATE_DATABASE_URL: database.workUrl, TOLLGATE_LOG_LEVEL: "warn" };
  const programArguments = ["server/src/main.ts", "work", "--only", "notifications"];
  const started = startTestProcess(programArguments, { ...variables, ...workerVariables });
  await waitForLine(started, /^Tollgate works/);
  return started;
}

/** A merchant's endpoint whose responses the test sets. */
export interface TestEndpoint {
  readonly url: string;
  /** Received bodies as text, oldest first. */
  readonly bodies: readonly string[];
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
}

const acknowledgement = JSON.stringify({
  result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success" },
});

export function acknowledge(_request: IncomingMessage, response: ServerResponse): void {
  response.end(acknowledgement);
}

export async function startTestEndpoint(answer: TestEndpoint["answer"] = acknowledge): Promise<TestEndpoint> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(body);
      endpoint.answer(request, response, body);
    });
    response.on("error", () => undefined);
  }).listen(0, "127.0.0.1");
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const endpoint: TestEndpoint = { url: `http://127.0.0.1:${port}/notify`, bodies, answer };
  return endpoint;
}
