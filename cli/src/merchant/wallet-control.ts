import type { KnownGateway } from "./known-gateway.ts";

export interface ProviderAnswer {
  readonly problem?: string;
  readonly [name: string]: unknown;
}

/**
 * Calls the control interface of the sandbox provider (sandbox/README.md lists its paths): `POST payments/123/approve`.
 */
export async function controlWallet(
  { walletUrl, controlSecret }: Pick<KnownGateway, "walletUrl" | "controlSecret">,
  line: string,
  body: object = {},
): Promise<ProviderAnswer> {
  if (!walletUrl || !controlSecret) {
    throw new Error(
      "To act as the buyer or the provider, set TOLLGATE_WALLET_URL and TOLLGATE_CONTROL_SECRET of the sandbox.",
    );
  }
  const [method = "POST", path = ""] = line.split(" ");
  const response = await fetch(`${walletUrl}/control/${path}`, {
    method,
    headers: { authorization: `Bearer ${controlSecret}`, "content-type": "application/json" },
    ...(method === "POST" && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as ProviderAnswer;
  if (!response.ok) throw new Error(answer.problem ?? `The provider answered ${response.status}.`);
  return answer;
}
