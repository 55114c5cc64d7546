import { rightOfRoute, type refusalSentences, type Routes } from "../generated/accounts.ts";
import { takeEarly } from "./asked-early.ts";
import { refused } from "./refused.ts";
import { withAsked } from "./second-person.ts";

export type RouteName = keyof Routes;
export type RefusalWord = keyof typeof refusalSentences;

/** Asks accounts, in the session of this browser. */
export async function ask<Name extends RouteName>(
  name: Name,
  request: Routes[Name]["request"],
  approvalId?: string,
): Promise<Routes[Name]["response"]> {
  const [method = "", path = ""] = name.split(" ");
  const headers = { "content-type": "application/json", ...(approvalId && { approval: approvalId }) };
  const answer = await (
    method === "GET"
      ? get(withQuery(path, request))
      : fetch(path, { method, headers, body: JSON.stringify(request) })
  ).catch((cause: Error) => {
    throw refused("UNREACHABLE", cause.message);
  });
  const body: unknown = await answer.json().catch(() => ({}));
  if (answer.ok) return body as Routes[Name]["response"];
  const { refusal = "FAULT", message = answer.statusText } = body as {
    readonly refusal?: RefusalWord | "FAULT";
    readonly message?: string;
  };
  const error = refused(refusal, message);
  const needs = refusal === "SECOND_PERSON_NEEDED" && name in rightOfRoute;
  throw needs
    ? withAsked(error, { ...rightOfRoute[name as keyof typeof rightOfRoute], act: name, request })
    : error;
}

function get(address: string): Promise<Response> {
  return takeEarly(address) ?? fetch(address);
}

function withQuery(path: string, request: object): string {
  const query = new URLSearchParams(request as Record<string, string>).toString();
  return query === "" ? path : `${path}?${query}`;
}
