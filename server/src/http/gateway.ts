import type { Forgers } from "./forgers.ts";
import type { FastifyBaseLogger } from "fastify";
import { hidesSomething, maskBy, type Masked } from "../api/mask.ts";
import type { Asked, Operation } from "../api/operation.ts";
import { requestReader, type ReadRequest } from "../api/read-request.ts";
import { teacherOf, type Teacher } from "../api/teacher.ts";
import type { FaultWatch } from "../core/fault-watch.ts";
import type { Meter } from "../core/meter.ts";
import type { Clock } from "../core/clock.ts";
import type { RegionalHost } from "../core/regional-host.ts";
import type { WalletDriver } from "../jobs/wallet-driver.ts";
import type { Database } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import { gatherReads, gatherWrites, type Finder, type Together } from "../postgres/together.ts";
import type { JobRunner, OwnDeliveries } from "../jobs/job.ts";
import type { PaidCallback } from "../payments/record-paid-together.tx.ts";
import type { Secrets } from "../signing/secrets.ts";
import type { ConnectorDirectory } from "../wallets/connector-directory.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import type { Entrance } from "./arrival.ts";
import type { RecentCallBook } from "../merchants/recent-call-book.ts";
import type { ClientDirectory } from "../merchants/client-directory.ts";
import { gatherFollowers, type Followers } from "./followers.ts";
import type { KeyUseBook } from "../keys/key-use-book.ts";
import type { Limiter } from "../core/limits.ts";
import type { OpenPages } from "./open-pages.ts";
import type { RequestLog } from "./request-log.ts";
import type { LogStranger } from "./strangers-log.ts";

/** An operation with what is made from it once, at the start. */
export interface Route {
  readonly operation: Operation;
  readonly readRequest: ReadRequest;
  /** Explains refused requests; the sandbox alone has it. */
  readonly teacher: Teacher | undefined;
  /** Masks a request for the request log. */
  readonly maskRequest: Masked;
  /** Masks an answer likewise; undefined when nothing in it is secret. */
  readonly maskAnswer: Masked | undefined;
  /** Whether it waits in its merchant's queue for a transaction; inquiries and batched writes do not. */
  readonly takesTurns: boolean;
  /** Batch writer for the fast path of an action (`first`). */
  readonly first: Together<object> | undefined;
  /** Batch reader for the fast path of an inquiry (`findTogether`). */
  readonly finder: Finder<Asked<object>, object> | undefined;
  /** Open event streams of this inquiry. */
  readonly followers: Followers | undefined;
}

export const beginners: ReadonlySet<string> = new Set([
  "payments/consult",
  "payments/pay",
  "payments/createPaymentSession",
  "authorizations/consult",
  "merchants/registration",
]);

/** The bulkhead of an operation: new payments can wait, while begun ones are brought to their end. */
export function requestLaneOf(operationPath: string | undefined): "new work" | "old work" {
  return beginners.has(operationPath ?? "") ? "new work" : "old work";
}

export function routeTo(operation: Operation, database: Database, environment: Environment): Route {
  const readRequest = requestReader(operation.request);
  const insert = "first" in operation ? operation.first?.insert : undefined;
  const findTogether = "findTogether" in operation ? operation.findTogether : undefined;
  const stream = "stream" in operation ? operation.stream : undefined;
  return {
    operation,
    readRequest,
    teacher: environment === "sandbox" ? teacherOf(operation) : undefined,
    maskRequest: maskBy(operation.request),
    maskAnswer: hidesSomething(operation.response) ? maskBy(operation.response) : undefined,
    takesTurns: !("find" in operation) && insert === undefined,
    first: insert && gatherWrites(database, insert),
    finder: findTogether && gatherReads(database, findTogether),
    followers: stream && gatherFollowers(database, stream),
  };
}

/** All that the edge works with, made by hand in commands/serve.ts. */
export interface Gateway extends Entrance {
  readonly environment: Environment;
  readonly database: Database;
  readonly meter: Meter;
  /** Notices callbacks that cannot be recorded any more. */
  readonly faults: FaultWatch;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly clients: ClientDirectory;
  /** Rate limits of authenticated merchants. */
  readonly limiter: Limiter;
  /**
   * Rate limits of networks and links; separate, so that made-up addresses cannot evict a merchant's bucket.
   */
  readonly strangersLimiter: Limiter;
  readonly forgers: Forgers;
  readonly linkLimiter: Limiter;
  readonly pages: OpenPages;
  /** Host names under which merchants call us; empty when the operator has configured none. */
  readonly hosts: readonly RegionalHost[];
  /** Origins of pages that may call operations from a browser; the sandbox alone has any. */
  readonly pageOrigins: readonly string[];
  readonly routes: ReadonlyMap<string, Route>;
  readonly requestLog: RequestLog;
  /** What developers see at once; the sandbox alone has it. */
  readonly recentCalls: RecentCallBook | undefined;
  readonly keyUses: KeyUseBook;
  readonly log: FastifyBaseLogger;
  readonly logStranger: LogStranger;
  readonly connectors: ConnectorDirectory;
  readonly secrets: Secrets;
  readonly runner: JobRunner;
  readonly driver: WalletDriver;
  /** Batch writer of the usual callback: a payment is paid. */
  readonly paid: Together<PaidCallback>;
  /** Notifications that this process sends itself. */
  readonly deliveries: OwnDeliveries;
  /** The page on which a payment's buyer pays. */
  readonly checkoutUrl: (clientId: string, paymentId: string) => string;
  /** Where the reference page is, for the sandbox's answers to point at. */
  readonly docsUrl: string;
}
