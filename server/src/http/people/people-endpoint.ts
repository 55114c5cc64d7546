import type { KeyObject } from "node:crypto";
import type { TSchema } from "typebox";
import type { ReadRequest } from "../../contract/read-request.ts";
import { newRateLimiter, type RateLimiter } from "../../resilience/limits.ts";
import type { ConsoleCode, ConsoleRefusal } from "../../people/console-result.ts";
import type { PersonKind, Permission } from "../../people/role.ts";
import type { ApprovalRules } from "../../people/approval-rules.ts";
import {
  newInvalidSignatureLimiter,
  type InvalidSignatureLimiter,
} from "../limits/invalid-signature-limiter.ts";
import type { Gateway } from "../merchant-api/gateway.ts";
import { newUsedTokens, type UsedTokens } from "./used-tokens.ts";

/** Dependencies of the API for people that its process, `serve` or `serve-staff`, provides. */
export type PeopleGateway = Pick<
  Gateway,
  "bodies" | "proxies" | "guard" | "environment" | "clock" | "log" | "logUnauthenticated"
>;

export interface PeopleOptions {
  readonly audience: string;
  /** Origins of the pages that may send requests to this API. */
  readonly origins: readonly string[];
  /** The public keys of the accounts service, by `kid`; they may change while the process runs. */
  readonly keys: () => ReadonlyMap<string, KeyObject>;
  /** The acts that need approval (four-eyes principle) in this process. */
  readonly approvalRules: ApprovalRules;
}

/** A route for people, with values that are derived from it once, at startup. */
export interface PersonRoute {
  readonly path: string;
  readonly permission: Permission;
  readonly request: TSchema;
  readonly readRequest: ReadRequest;
}

/** The outcome of a request: the response's fields with their code, or a rejection. */
export type PersonOutcome = { readonly response: object & { readonly code: ConsoleCode } } | ConsoleRefusal;

/** Dependencies of admitting a person. An endpoint accepts tokens of one kind of person. */
export interface PeopleEndpoint<Route extends PersonRoute> extends PeopleOptions {
  readonly kind: PersonKind;
  readonly gateway: PeopleGateway;
  /** Routes by the part of the path after `/console/`. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly limiter: RateLimiter;
  readonly invalidTokenLimiter: InvalidSignatureLimiter;
  readonly usedTokens: UsedTokens;
}

export function openPeopleEndpoint<Route extends PersonRoute>(
  gateway: PeopleGateway,
  kind: PersonKind,
  { audience, origins, keys, approvalRules }: PeopleOptions,
  routes: readonly Route[],
): PeopleEndpoint<Route> {
  const monotonicMs = (): number => performance.now();
  return {
    audience,
    origins,
    keys,
    approvalRules,
    kind,
    gateway,
    routes: new Map(routes.map((route) => [route.path, route])),
    limiter: newRateLimiter(monotonicMs),
    invalidTokenLimiter: newInvalidSignatureLimiter(monotonicMs),
    usedTokens: newUsedTokens(() => gateway.clock.now().getTime()),
  };
}
