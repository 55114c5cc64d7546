import { providerReference } from "../../../server/src/core/provider-reference.ts";
import type { ConfiguredGateway } from "./configured-gateway.ts";

export interface ControlAnswer {
  readonly problem?: string;
  readonly [name: string]: unknown;
}

/**
 * Calls the control interface of the sandbox provider (sandbox/README.md lists its paths): `POST payments/123/approve`.
 */
export async function controlProvider(
  { walletUrl, controlSecret }: Pick<ConfiguredGateway, "walletUrl" | "controlSecret">,
  commandLine: string,
  body: object = {},
): Promise<ControlAnswer> {
  if (!walletUrl || !controlSecret) {
    throw new Error(
      "To act as the buyer or the provider, set TOLLGATE_WALLET_URL and TOLLGATE_CONTROL_SECRET of the sandbox.",
    );
  }
  const [method = "POST", path = ""] = commandLine.split(" ");
  const response = await fetch(`${walletUrl}/control/${path}`, {
    method,
    headers: { authorization: `Bearer ${controlSecret}`, "content-type": "application/json" },
    ...(method === "POST" && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as ControlAnswer;
  if (!response.ok) throw new Error(answer.problem ?? `The provider answered ${response.status}.`);
  return answer;
}

/** The path of a refund in the control interface, by the merchant's own id of the refund. */
export function refundPath(clientId: string, refundRequestId: string): string {
  return `refunds/${providerReference("sandbox", clientId, "refund", refundRequestId)}`;
}
