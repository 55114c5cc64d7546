import { walletReference } from "../core/wallet-reference.ts";
import { httpWallet } from "../egress/http-wallet.ts";
import { listGatewayKeys } from "../keys/gateway-key.sql.ts";
import { systemScope } from "../postgres/database.ts";
import { openSigner, type Signer } from "../signing/gateway-keys.ts";
import { openRemoteSigner } from "../signing/remote-signer.ts";
import { readWrappingKeys } from "../signing/wrapping-keys.ts";
import { openWalletTls } from "../egress/wallet-tls.ts";
import { walletKeys } from "../wallets/connector-directory.ts";
import { listConnectors } from "../wallets/connector.sql.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { oneOf } from "./connector.ts";
import { inWords } from "./in-words.ts";
import type { Settings } from "./settings.ts";

/** How a wallet answered an inquiry about an order that was never sent. */
export interface TestedConnector {
  readonly name: string;
  readonly url: string;
  /** Whether it answered as a wallet does: signed, in time, and that it knows no such order. */
  readonly isWell: boolean;
  readonly said: string;
  readonly tookMs: number;
}

const timeoutMs = 10_000;

/** Asks a wallet about nothing, as the circuit breaker's probe does: address, keys on both sides and clocks are all in it. */
export async function testConnector(
  operator: Operator,
  name: string,
  signer: Signer,
): Promise<TestedConnector> {
  const { url, environment } = operator;
  const connector = oneOf(await asOwner(url, environment, systemScope, listConnectors), name);
  const agents = await openWalletTls().agentsOf(connector);
  const keys = walletKeys(connector);
  const wallet = httpWallet({ connector, keys, agents, signer, now: () => new Date(), callbackUrl: "" });
  const reference = walletReference(environment, "", "inquiry", name);
  const startedMs = performance.now();
  const answer = await wallet.inquire(reference, AbortSignal.timeout(timeoutMs)).then(
    ({ state }) => ({ isWell: state === "NOT_FOUND", said: state as string }),
    (error: unknown) => ({ isWell: false, said: whyNot(error) }),
  );
  const tookMs = Math.round(performance.now() - startedMs);
  const tested = { name, url: connector.url, ...answer, tookMs };
  // The wallet was called outside of any transaction; the audit's row is one of its own.
  return actAsOwner(operator, systemScope, async () => ({
    value: tested,
    audit: { act: "connector test", subject: name, after: { isWell: tested.isWell, tookMs } },
  }));
}

/** Signs as `serve` does, for a command. */
export async function openOperatorsSigner(
  { url, environment }: Operator,
  { keyFile, signing }: Pick<Settings, "keyFile" | "signing">,
): Promise<Signer> {
  const load = (): ReturnType<typeof listGatewayKeys> =>
    asOwner(url, environment, systemScope, listGatewayKeys);
  const { socket: path, oldKeyFile } = signing;
  if (path !== "") return openRemoteSigner({ path, environment, onChange: () => undefined });
  return openSigner(load, await readWrappingKeys(keyFile, oldKeyFile), environment);
}

/** What is wrong with the signature or the time of an answer, in words. */
const wrongAnswers: Readonly<Record<string, string>> = {
  MISMATCH: "Its answer is not signed with its key that we have: `tollgate connector show` has its digest.",
  MISSING_SIGNATURE: "Its answer is not signed.",
  UNSUPPORTED_ALGORITHM:
    "Its answer is signed by another algorithm than that of its key that we have: `tollgate connector show` has both.",
  MALFORMED_SIGNATURE: "The signature of its answer is malformed.",
  BAD_TIME: "Its answer does not say when it was written, in response-time.",
  STALE: "Its clock is ten minutes or more from ours.",
};

function whyNot(error: unknown): string {
  const { cause } = error as Error;
  return (cause instanceof Error && wrongAnswers[cause.message]) || inWords(error);
}

export function testedText({ name, url, isWell, said, tookMs }: TestedConnector): string {
  return isWell
    ? `${name} answers at ${url}, signed, in ${tookMs} ms.`
    : `${name} at ${url} is not well: ${said} (${tookMs} ms)`;
}
