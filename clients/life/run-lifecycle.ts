import { linesOf, type Runner, type Score } from "../runner.ts";
import { startDevGateway } from "./dev-gateway.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { startMailbox } from "./mailbox.ts";
import { steps } from "./steps.ts";

/** The systems around a shop: the gateway, the fault proxy, and a mailbox for webhooks. */
export interface World {
  /** Environment variables with their addresses, as README.md describes them. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Returns the variables with a separate fault proxy, for a second program that runs at the same time,
   * because a fault applies to the next request of any client.
   */
  withOwnLine(): Promise<Pick<World, "variables">>;
  stop(): Promise<void>;
}

const runTimeoutMs = 180_000;

export async function startWorld(): Promise<World> {
  const gateway = await startDevGateway();
  const proxies = [await startFaultProxy(gateway.baseUrl)];
  const mailbox = await startMailbox();
  const variables = {
    BASE_URL: gateway.baseUrl,
    PROXY_URL: proxies[0]?.url ?? "",
    MAILBOX_URL: mailbox.url,
    CLIENT_ID: gateway.clientId,
    KEY_VERSION: String(gateway.keyVersion),
    PRIVATE_KEY_FILE: gateway.merchantPrivateKeyFile,
    GATEWAY_PUBLIC_KEY_FILE: gateway.gatewayPublicKeyFile,
    WALLET_URL: gateway.walletUrl,
    CONTROL_SECRET: gateway.controlSecret,
  };
  return {
    variables,
    async withOwnLine() {
      const proxy = await startFaultProxy(gateway.baseUrl);
      proxies.push(proxy);
      return { variables: { ...variables, PROXY_URL: proxy.url } };
    },
    async stop() {
      await Promise.all([...proxies, mailbox].map((each) => each.stop()));
      await gateway.stop();
    },
  };
}

export async function runLifecycle(
  runner: Runner,
  { variables }: Pick<World, "variables">,
  of: readonly string[] = steps,
): Promise<Score> {
  const said = await linesOf(runner, variables, runTimeoutMs);
  const missed = of.filter((step) => !said.includes(`${step} ok`));
  const problems = missed.map(
    (step) => said.find((line) => line.startsWith(`${step} `)) ?? `${step} was not run`,
  );
  if (missed.length === 0 && said.length !== of.length) problems.push("it printed more lines than its steps");
  return { passed: of.length - missed.length, of: of.length, problems };
}
