import type { Static, TSchema } from "typebox";
import { permissions, type Permission } from "../../../server/src/people/role.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { sites, type Site } from "../people/site.ts";
import type { Caller, MemberCaller } from "../sessions/session.ts";
import type { Engine } from "../engine.ts";
import type { EmailMessage } from "../mail/email-templates.ts";
import type { Refusal } from "./refusal.ts";

/**
 * Access control of a route, from the widest to the narrowest: everyone; a person who sets up a sign-in method; a
 * person who is signed in; a member who acts for an organisation; a member whose role has a permission.
 */
export type RouteAccess = "anyone" | "newcomer" | "person" | "member" | Permission;

/** One endpoint of the API. The router and the test of all roles use the same list of routes. */
export interface Route {
  readonly method: "GET" | "POST";
  readonly path: `/accounts/${string}`;
  readonly summary: string;
  readonly access: RouteAccess;
  /** The sites (portal or operator console) that serve the route. */
  readonly sites: readonly Site[];
  /** The environment whose permissions apply. */
  readonly environment: "sandbox" | "live";
  /** True if the route requires re-authentication. Newcomers have no credential for it. */
  readonly stepUp: boolean;
  /** A larger body limit, if the route needs one. A large body is read only for callers who may use the route. */
  readonly bodyBytesMax?: number;
  readonly request: TSchema;
  readonly response: TSchema;
  handle(call: Call & { readonly caller: Caller | undefined }, request: unknown): Promise<RouteResult>;
}

export interface Call {
  readonly engine: Engine;
  readonly now: Date;
  /** The caller's IPv4 address, or its IPv6 network. */
  readonly network: string;
  readonly browser: string;
  /** The state cookie of a sign-in at an identity provider. */
  readonly state: string | undefined;
  /** The token of the device cookie. */
  readonly device: string | undefined;
  /** True if another person has approved this exact request; see `checkApproval`. */
  readonly isApproved: boolean;
  read: Tx;
  /** Runs `work` in a transaction that commits, or rolls back if it throws. */
  transaction<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value>;
  /** Sends emails after the route has committed; sends none if the route refuses or fails. */
  sendAfterCommit(emails: readonly EmailMessage[]): void;
}

/** The session cookie of a response: a new token, or the removal of the cookie. */
export type SessionCookie = { readonly token: string } | "none";

interface CompletedResult<Answer> {
  readonly answer: Answer;
  readonly cookie?: SessionCookie;
  /** The state of a sign-in at an identity provider, for a separate cookie. */
  readonly state?: string;
  /** A new token for the device cookie. */
  readonly device?: string;
  /** A path on this host to which the browser is redirected. */
  readonly redirect?: string;
}

export type RouteResult<Answer = unknown> = CompletedResult<Answer> | Refusal;

type RouteDeclaration<Request extends TSchema, Response extends TSchema> = Pick<
  Route,
  "method" | "path" | "summary"
> & {
  /** The sites that serve the route; both sites if the field is absent. */
  readonly sites?: readonly Site[];
  readonly request: Request;
  readonly response: Response;
};

interface OpenRoute<Request extends TSchema, Response extends TSchema> extends RouteDeclaration<
  Request,
  Response
> {
  /** `caller` is set if the caller is signed in, so that the old session can be ended. */
  handle(
    call: Call & { readonly caller: Caller | undefined },
    request: Static<Request>,
  ): Promise<RouteResult<Static<Response>>>;
}

/** `openRoute` creates a route that everyone may use. */
export function openRoute<Request extends TSchema, Response extends TSchema>(
  declaration: OpenRoute<Request, Response>,
): Route {
  return { sites, ...declaration, access: "anyone", environment: "live", stepUp: false } as unknown as Route;
}

interface PersonalRoute<Request extends TSchema, Response extends TSchema> extends RouteDeclaration<
  Request,
  Response
> {
  readonly access: "newcomer" | "person";
  readonly stepUp?: boolean;
  handle(
    call: Call & { readonly caller: Caller },
    request: Static<Request>,
  ): Promise<RouteResult<Static<Response>>>;
}

/** `personalRoute` creates a route about the caller's own account. */
export function personalRoute<Request extends TSchema, Response extends TSchema>(
  declaration: PersonalRoute<Request, Response>,
): Route {
  return { sites, stepUp: false, ...declaration, environment: "live" } as unknown as Route;
}

interface MemberRoute<Request extends TSchema, Response extends TSchema> extends RouteDeclaration<
  Request,
  Response
> {
  readonly access: "member" | Permission;
  readonly environment?: "sandbox" | "live";
  readonly bodyBytesMax?: number;
  handle(
    call: Call & { readonly caller: MemberCaller },
    request: Static<Request>,
  ): Promise<RouteResult<Static<Response>>>;
}

/**
 * `memberRoute` creates a route about the caller's organisation. The table of permissions says whether it requires
 * re-authentication.
 */
export function memberRoute<Request extends TSchema, Response extends TSchema>(
  declaration: MemberRoute<Request, Response>,
): Route {
  const stepUp = declaration.access !== "member" && permissions[declaration.access].stepUp;
  return { sites, environment: "live", ...declaration, stepUp } as unknown as Route;
}
