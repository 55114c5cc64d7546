import { permissionOfRoute, type Routes } from "../generated/accounts.ts";
import { takeEarlyResponse } from "./early-requests.ts";
import { refused, type RefusalWord } from "./refusal-error.ts";
import { withAsked } from "./approval.ts";

export type RouteName = keyof Routes;

/** `ask` sends a request to accounts with the session cookie of this browser. */
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
  const needs = refusal === "APPROVAL_NEEDED" && name in permissionOfRoute;
  throw needs
    ? withAsked(error, { ...permissionOfRoute[name as keyof typeof permissionOfRoute], act: name, request })
    : error;
}

function get(address: string): Promise<Response> {
  return takeEarlyResponse(address) ?? fetch(address);
}

function withQuery(path: string, request: object): string {
  const query = new URLSearchParams(request as Record<string, string>).toString();
  return query === "" ? path : `${path}?${query}`;
}
