import type { InvalidSignatureLimiter } from "../limits/invalid-signature-limiter.ts";
import type { FastifyBaseLogger } from "fastify";
import { masksAnyField, maskBy, type Mask } from "../../contract/mask.ts";
import type { ClientRequest, Operation } from "../../contract/operation.ts";
import { requestReader, type ReadRequest } from "../../contract/read-request.ts";
import { explainerFor, type RejectionExplainer } from "../../contract/explain-rejection.ts";
import type { FaultWatch } from "../../resilience/fault-watch.ts";
import type { Meter } from "../../telemetry/meter.ts";
import type { Clock } from "../../core/clock.ts";
import type { RegionalHost } from "../../core/regional-host.ts";
import type { ProviderDriver } from "../../contract/provider-driver.ts";
import type { Database } from "../../postgres/database.ts";
import type { Environment } from "../../postgres/migrate.ts";
import {
  newBatchReader,
  newBatchWriter,
  type BatchReader,
  type BatchWriter,
} from "../../postgres/batcher.ts";
import type { JobRunner, LocalDeliveries } from "../../contract/job.ts";
import type { PaidCallback } from "../../payments/settle-paid-batch.tx.ts";
import type { Secrets } from "../../signing/secrets.ts";
import type { ConnectorDirectory } from "../../providers/connector-directory.ts";
import type { Signer } from "../../signing/gateway-keys.ts";
import type { RequestReader } from "./arrival.ts";
import type { RecentCallCache } from "../../merchants/recent-call-cache.ts";
import type { ClientDirectory } from "../../merchants/client-directory.ts";
import { openEventStreamRegistry, type EventStreamRegistry } from "./event-stream-registry.ts";
import type { KeyUseCache } from "../../keys/key-use-cache.ts";
import type { RateLimiter } from "../../resilience/limits.ts";
import type { OpenPages } from "../pages/open-pages.ts";
import type { RequestLog } from "./request-log-writer.ts";
import type { LogUnauthenticated } from "./unauthenticated-log.ts";

/** An operation with values that are derived from it once, at startup. */
export interface Route {
  readonly operation: Operation;
  readonly readRequest: ReadRequest;
  /** Explains rejected requests; present only in the sandbox. */
  readonly explainer: RejectionExplainer | undefined;
  /** Masks a request for the request log. */
  readonly maskRequest: Mask;
  /** Masks a response for the request log; undefined if the response has no secrets. */
  readonly maskAnswer: Mask | undefined;
  /** Whether a request waits in the merchant's queue for a transaction. Inquiries and batched writes do not wait. */
  readonly isQueuedPerMerchant: boolean;
  /** Batch writer for the fast path of an action (`fastPath`). */
  readonly batchWriter: BatchWriter<object> | undefined;
  /** Batch reader for the fast path of an inquiry (`findBatch`). */
  readonly batchReader: BatchReader<ClientRequest<object>, object> | undefined;
  /** Open event streams of this inquiry. */
  readonly eventStreams: EventStreamRegistry | undefined;
}

export const newWorkOperations: ReadonlySet<string> = new Set([
  "payments/consult",
  "payments/pay",
  "payments/createPaymentSession",
  "authorizations/consult",
  "merchants/registration",
]);

/** The bulkhead of an operation: new payments can wait while started payments are completed. */
export function requestQueueOf(operationPath: string | undefined): "new work" | "old work" {
  return newWorkOperations.has(operationPath ?? "") ? "new work" : "old work";
}

export function newRoute(operation: Operation, database: Database, environment: Environment): Route {
  const readRequest = requestReader(operation.request);
  const insert = "fastPath" in operation ? operation.fastPath?.insert : undefined;
  const findBatch = "findBatch" in operation ? operation.findBatch : undefined;
  const stream = "stream" in operation ? operation.stream : undefined;
  return {
    operation,
    readRequest,
    explainer: environment === "sandbox" ? explainerFor(operation) : undefined,
    maskRequest: maskBy(operation.request),
    maskAnswer: masksAnyField(operation.response) ? maskBy(operation.response) : undefined,
    isQueuedPerMerchant: !("find" in operation) && insert === undefined,
    batchWriter: insert && newBatchWriter(database, insert),
    batchReader: findBatch && newBatchReader(database, findBatch),
    eventStreams: stream && openEventStreamRegistry(database, stream),
  };
}

/** All dependencies of the HTTP layer, built in processes/serve.ts. */
export interface Gateway extends RequestReader {
  readonly environment: Environment;
  readonly database: Database;
  readonly meter: Meter;
  /** The fault watch, which detects that callbacks can no longer be recorded. */
  readonly faults: FaultWatch;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly clients: ClientDirectory;
  /** Rate limits of authenticated merchants. */
  readonly limiter: RateLimiter;
  /**
   * Rate limits of networks and links. They are separate, so that made-up addresses cannot evict a merchant's token
   * bucket.
   */
  readonly unauthenticatedLimiter: RateLimiter;
  readonly invalidSignatureLimiter: InvalidSignatureLimiter;
  readonly linkLimiter: RateLimiter;
  readonly openPages: OpenPages;
  /** Host names under which merchants call the gateway; empty if none are configured. */
  readonly hosts: readonly RegionalHost[];
  /** Origins of pages that may call operations from a browser; empty in live. */
  readonly pageOrigins: readonly string[];
  readonly routes: ReadonlyMap<string, Route>;
  readonly requestLog: RequestLog;
  /** Recent API requests for developers; present only in the sandbox. */
  readonly recentCalls: RecentCallCache | undefined;
  readonly keyUses: KeyUseCache;
  readonly log: FastifyBaseLogger;
  readonly logUnauthenticated: LogUnauthenticated;
  readonly connectors: ConnectorDirectory;
  readonly secrets: Secrets;
  readonly runner: JobRunner;
  readonly driver: ProviderDriver;
  /** Batch writer for the most frequent callback: a payment is paid. */
  readonly paidCallbacks: BatchWriter<PaidCallback>;
  /** Webhooks that this process sends itself. */
  readonly deliveries: LocalDeliveries;
  /** The URL of a payment's checkout page. */
  readonly checkoutUrl: (clientId: string, paymentId: string) => string;
  /** The URL of the API reference, for links in the sandbox's responses. */
  readonly docsUrl: string;
}
