import { rightOfAct, type Acts, type resultSentences, type Views } from "../generated/console.ts";
import { rightOfStaffAct, type Staff } from "../generated/staff.ts";
import { ask } from "./accounts.ts";
import { gatewayOf, type Environment } from "./environments.ts";
import { refused, wordOf } from "./refused.ts";
import { withAsked } from "./second-person.ts";

export type ResultCode = keyof typeof resultSentences;
export type ViewName = keyof Views;
export type ActName = keyof Acts;

/** Which merchant's records, and where. */
export interface Place {
  readonly environment: Environment;
  readonly clientId: string;
}

export function askView<Name extends ViewName>(
  place: Place,
  name: Name,
  request: Views[Name]["request"],
): Promise<Views[Name]["response"]> {
  return askConsole(place, `views/${name}`, request, tokenFor(place.environment));
}

/**
 * Does what the public API does, as this person. A token serves one act, so each has a new one. Where it takes two people, the
 * refusal carries what was asked; what somebody has confirmed of it meanwhile is used.
 */
export async function act<Name extends ActName>(
  place: Place,
  name: Name,
  request: Acts[Name]["request"],
  reason?: string,
): Promise<Acts[Name]["response"]> {
  const body = { request, ...(reason && { reason }) };
  const { environment, clientId } = place;
  const attempt = (approvalId?: string): Promise<Acts[Name]["response"]> =>
    askConsole(place, `acts/${name}`, body, newToken(environment, approvalId));
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof Error) || wordOf(error) !== "SECOND_PERSON_NEEDED") throw error;
    const approvalId = await confirmedId(place, name, request);
    if (approvalId !== undefined) return attempt(approvalId);
    throw withAsked(error, { environment, ...rightOfAct[name], act: name, clientId, request });
  }
}

async function confirmedId(
  { environment, clientId }: { readonly environment: Environment; readonly clientId?: string },
  name: string,
  request: object,
): Promise<string | undefined> {
  const { approvals } = await ask("GET /accounts/approvals", {});
  const text = JSON.stringify(request);
  return approvals.find(
    (each) =>
      each.isOwn &&
      each.isConfirmed &&
      each.environment === environment &&
      // What is about no client is about the organisation, and that is the person's own.
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

/** What staff ask across merchants. Accounts give such tokens in the operator's console alone. */
export function askStaff<Name extends StaffName>(
  environment: Environment,
  name: Name,
  request: Staff[Name]["request"],
): Promise<Staff[Name]["response"]> {
  return askConsole({ environment }, `staff/${name}`, request, tokenFor(environment));
}

/**
 * What staff do across merchants, always with a reason. Where it takes two people, the reason is a part of what is confirmed; what
 * somebody has confirmed of it meanwhile is used.
 */
export async function actAsStaff<Name extends StaffName>(
  environment: Environment,
  name: Name,
  request: StaffActRequest<Name>,
  reason: string,
): Promise<Staff[Name]["response"]> {
  const body = { reason, request };
  const attempt = (approvalId?: string): Promise<Staff[Name]["response"]> =>
    askConsole({ environment }, `staff/${name}`, body, newToken(environment, approvalId));
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof Error) || wordOf(error) !== "SECOND_PERSON_NEEDED") throw error;
    const approvalId = await confirmedId({ environment }, `staff/${name}`, body);
    if (approvalId !== undefined) return attempt(approvalId);
    const { right } = rightOfStaffAct[name as keyof typeof rightOfStaffAct];
    throw withAsked(error, { environment, right, act: `staff/${name}`, request: body, reason });
  }
}

/** Does what was confirmed, as it was confirmed: `staff/…`, with its reason. */
export function repeatAsStaff(
  environment: Environment,
  path: string,
  body: object,
  approvalId: string,
): Promise<object> {
  return askConsole({ environment }, path, body, newToken(environment, approvalId));
}

/** The merchants that the person may act for there. */
export async function clientIdsOf(environment: Environment): Promise<readonly string[]> {
  const [, payload = ""] = (await tokenFor(environment)).split(".");
  const json = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
  return (JSON.parse(json) as { readonly clientIds: readonly string[] }).clientIds;
}

/** After whatever changes what a token says: another organisation, a step-up, another client. */
export function forgetTokens(): void {
  tokens.clear();
}

async function askConsole<Response>(
  { environment, clientId }: { readonly environment: Environment; readonly clientId?: string },
  path: string,
  request: object,
  token: Promise<string>,
): Promise<Response> {
  // The token first: a refusal of accounts says more than a missing address.
  const bearer = await token;
  const gateway = gatewayOf(environment);
  if (!gateway) throw refused("NO_GATEWAY", environment);
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
    throw refused("UNREACHABLE", cause.message);
  });
  const { result, ...fields } = (await answer.json()) as { readonly result: Result };
  if (result.resultStatus === "S") return fields as Response;
  const message = [result.resultMessage, result.resultHint].filter(Boolean).join(" ");
  throw refused(result.resultCode, message, result.resultStatus === "U");
}

interface Result {
  readonly resultStatus: "S" | "F" | "U";
  readonly resultCode: ResultCode;
  readonly resultMessage: string;
  readonly resultHint?: string;
}

interface Kept {
  readonly token: Promise<string>;
  readonly untilMs: number;
}

const tokens = new Map<Environment, Kept>();
/** A token lives a minute. It is renewed earlier, for slow networks and clocks that differ. */
const keptMs = 40_000;

function tokenFor(environment: Environment): Promise<string> {
  const kept = tokens.get(environment);
  if (kept && kept.untilMs > Date.now()) return kept.token;
  const token = newToken(environment);
  tokens.set(environment, { token, untilMs: Date.now() + keptMs });
  token.catch(() => tokens.delete(environment));
  return token;
}

async function newToken(environment: Environment, approvalId?: string): Promise<string> {
  return (await ask("POST /accounts/token", { environment, ...(approvalId && { approvalId }) })).token;
}
