import type { KnownGateway } from "./known-gateway.ts";

export interface WalletAnswer {
  readonly problem?: string;
  readonly [name: string]: unknown;
}

/** The sandbox wallet's door for tests (its README has all that it takes): `POST payments/123/approve`. */
export async function controlWallet(
  { walletUrl, controlSecret }: Pick<KnownGateway, "walletUrl" | "controlSecret">,
  line: string,
  body: object = {},
): Promise<WalletAnswer> {
  if (!walletUrl || !controlSecret) {
    throw new Error(
      "To act for the buyer or the wallet, set TOLLGATE_WALLET_URL and TOLLGATE_CONTROL_SECRET of the sandbox.",
    );
  }
  const [method = "POST", path = ""] = line.split(" ");
  const response = await fetch(`${walletUrl}/control/${path}`, {
    method,
    headers: { authorization: `Bearer ${controlSecret}`, "content-type": "application/json" },
    ...(method === "POST" && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as WalletAnswer;
  if (!response.ok) throw new Error(answer.problem ?? `The wallet answered ${response.status}.`);
  return answer;
}
