import { permissionOfRoute, type Routes } from "../generated/accounts.ts";
import { takeEarlyResponse } from "./early-requests.ts";
import { createRefusal, type RefusalCode } from "./refusal-error.ts";
import { attachApproval } from "./needed-approval.ts";

export type RouteName = keyof Routes;

/** `requestAccounts` sends a request to accounts with the session cookie of this browser. */
export async function requestAccounts<Name extends RouteName>(
  name: Name,
  request: Routes[Name]["request"],
  approvalId?: string,
): Promise<Routes[Name]["response"]> {
  const [method = "", path = ""] = name.split(" ");
  const headers = { "content-type": "application/json", ...(approvalId && { approval: approvalId }) };
  const answer = await (
    method === "GET"
      ? get(appendQuery(path, request))
      : fetch(path, { method, headers, body: JSON.stringify(request) })
  ).catch((cause: Error) => {
    throw createRefusal("UNREACHABLE", cause.message);
  });
  const body: unknown = await answer.json().catch(() => ({}));
  if (answer.ok) return body as Routes[Name]["response"];
  const { refusal = "FAULT", message = answer.statusText } = body as {
    readonly refusal?: RefusalCode | "FAULT";
    readonly message?: string;
  };
  const error = createRefusal(refusal, message);
  const requiresApproval = refusal === "APPROVAL_NEEDED" && name in permissionOfRoute;
  throw requiresApproval
    ? attachApproval(error, {
        ...permissionOfRoute[name as keyof typeof permissionOfRoute],
        act: name,
        request,
      })
    : error;
}

function get(address: string): Promise<Response> {
  return takeEarlyResponse(address) ?? fetch(address);
}

function appendQuery(path: string, request: object): string {
  const query = new URLSearchParams(request as Record<string, string>).toString();
  return query === "" ? path : `${path}?${query}`;
}
