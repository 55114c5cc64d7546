import { permissionOfAct, type Acts, type Views } from "../generated/console.ts";
import { permissionOfStaffAct, type Staff } from "../generated/staff.ts";
import { requestAccounts } from "./request-accounts.ts";
import { findGateway, type Environment } from "./environments.ts";
import { createRefusal, errorCodeOf, type ResultCode } from "./refusal-error.ts";
import { attachApproval } from "./needed-approval.ts";

export type ViewName = keyof Views;
export type ActName = keyof Acts;

/** The client id and the environment whose records a page shows. */
export interface ClientScope {
  readonly environment: Environment;
  readonly clientId: string;
}

export function queryView<Name extends ViewName>(
  scope: ClientScope,
  name: Name,
  request: Views[Name]["request"],
): Promise<Views[Name]["response"]> {
  return sendConsoleRequest(scope, `views/${name}`, request, tokenFor(scope.environment));
}

/**
 * `performAct` runs an operation of the public API as this person. A token is valid for one act, so each act requests a
 * new token. If the act requires approval, the refusal carries the request; an approval that exists already is used.
 */
export async function performAct<Name extends ActName>(
  scope: ClientScope,
  name: Name,
  request: Acts[Name]["request"],
  reason?: string,
): Promise<Acts[Name]["response"]> {
  const body = { request, ...(reason && { reason }) };
  const { environment, clientId } = scope;
  const attempt = (approvalId?: string): Promise<Acts[Name]["response"]> =>
    sendConsoleRequest(scope, `acts/${name}`, body, newToken(environment, approvalId));
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof Error) || errorCodeOf(error) !== "APPROVAL_NEEDED") throw error;
    const approvalId = await findConfirmedApproval(scope, name, request);
    if (approvalId !== undefined) return attempt(approvalId);
    throw attachApproval(error, { environment, ...permissionOfAct[name], act: name, clientId, request });
  }
}

async function findConfirmedApproval(
  { environment, clientId }: { readonly environment: Environment; readonly clientId?: string },
  name: string,
  request: object,
): Promise<string | undefined> {
  const { approvals } = await requestAccounts("GET /accounts/approvals", {});
  const text = JSON.stringify(request);
  return approvals.find(
    (each) =>
      each.isOwn &&
      each.isConfirmed &&
      each.environment === environment &&
      // An act without a client id is about the person's own organisation.
      (clientId === undefined || each.place === clientId) &&
      each.act === name &&
      JSON.stringify(each.request) === text,
  )?.approvalId;
}

export type StaffName = keyof Staff;
type StaffActRequest<Name extends StaffName> = Staff[Name]["request"] extends {
  readonly request: infer Asked;
}
  ? Asked
  : never;

/** `queryStaff` sends a query of staff across merchants. Accounts issue such tokens only in the operator console. */
export function queryStaff<Name extends StaffName>(
  environment: Environment,
  name: Name,
  request: Staff[Name]["request"],
): Promise<Staff[Name]["response"]> {
  return sendConsoleRequest({ environment }, `staff/${name}`, request, tokenFor(environment));
}

/**
 * `actAsStaff` runs an action of staff across merchants, always with a reason. If the action requires approval, the
 * reason is part of the approved request; an approval that exists already is used.
 */
export async function actAsStaff<Name extends StaffName>(
  environment: Environment,
  name: Name,
  request: StaffActRequest<Name>,
  reason: string,
): Promise<Staff[Name]["response"]> {
  const body = { reason, request };
  const attempt = (approvalId?: string): Promise<Staff[Name]["response"]> =>
    sendConsoleRequest({ environment }, `staff/${name}`, body, newToken(environment, approvalId));
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof Error) || errorCodeOf(error) !== "APPROVAL_NEEDED") throw error;
    const approvalId = await findConfirmedApproval({ environment }, `staff/${name}`, body);
    if (approvalId !== undefined) return attempt(approvalId);
    const { permission } = permissionOfStaffAct[name as keyof typeof permissionOfStaffAct];
    throw attachApproval(error, { environment, permission, act: `staff/${name}`, request: body, reason });
  }
}

/** `repeatAsStaff` runs an approved staff action (`staff/…`) exactly as approved, including its reason. */
export function repeatAsStaff(
  environment: Environment,
  path: string,
  body: object,
  approvalId: string,
): Promise<object> {
  return sendConsoleRequest({ environment }, path, body, newToken(environment, approvalId));
}

/** `listClientIds` returns the client ids that the person may use in the environment. */
export async function listClientIds(environment: Environment): Promise<readonly string[]> {
  const [, payload = ""] = (await tokenFor(environment)).split(".");
  const json = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
  return (JSON.parse(json) as { readonly clientIds: readonly string[] }).clientIds;
}

/**
 * `clearTokens` clears cached tokens. Call it after each change of a token's content: organisation,
 * re-authentication or client.
 */
export function clearTokens(): void {
  tokens.clear();
}

async function sendConsoleRequest<Response>(
  { environment, clientId }: { readonly environment: Environment; readonly clientId?: string },
  path: string,
  request: object,
  token: Promise<string>,
): Promise<Response> {
  // The token comes first, because a refusal of accounts explains more than the error of a missing gateway address.
  const bearer = await token;
  const gateway = findGateway(environment);
  if (!gateway) throw createRefusal("NO_GATEWAY", environment);
  const headers = {
    authorization: `Bearer ${bearer}`,
    ...(clientId !== undefined && { "client-id": clientId }),
    "content-type": "application/json",
  };
  const answer = await fetch(`${gateway.url}/console/${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(request),
    credentials: "omit",
  }).catch((cause: Error) => {
    throw createRefusal("UNREACHABLE", cause.message);
  });
  const { result, ...fields } = (await answer.json()) as { readonly result: Result };
  if (result.resultStatus === "S") return fields as Response;
  const message = [result.resultMessage, result.resultHint].filter(Boolean).join(" ");
  throw createRefusal(result.resultCode, message, result.resultStatus === "U");
}

interface Result {
  readonly resultStatus: "S" | "F" | "U";
  readonly resultCode: ResultCode;
  readonly resultMessage: string;
  readonly resultHint?: string;
}

interface CachedToken {
  readonly token: Promise<string>;
  readonly untilMs: number;
}

const tokens = new Map<Environment, CachedToken>();
/** A token expires after one minute. It is renewed earlier, to allow for slow networks and clock skew. */
const tokenCacheMs = 40_000;

function tokenFor(environment: Environment): Promise<string> {
  const cached = tokens.get(environment);
  if (cached && cached.untilMs > Date.now()) return cached.token;
  const token = newToken(environment);
  tokens.set(environment, { token, untilMs: Date.now() + tokenCacheMs });
  token.catch(() => tokens.delete(environment));
  return token;
}

async function newToken(environment: Environment, approvalId?: string): Promise<string> {
  return (await requestAccounts("POST /accounts/token", { environment, ...(approvalId && { approvalId }) }))
    .token;
}
