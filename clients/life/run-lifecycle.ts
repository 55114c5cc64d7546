import { runAndReadLines, type Runner, type Score } from "../runner.ts";
import { startDevGateway } from "./dev-gateway.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { startMailbox } from "./mailbox.ts";
import { lifecycleSteps } from "./lifecycle-steps.ts";

/** The systems around a shop: the gateway, the fault proxy, and a mailbox for webhooks. */
export interface LifecycleEnvironment {
  /** Environment variables with their addresses, as README.md describes them. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Returns the variables with a separate fault proxy, for a second program that runs at the same time,
   * because a fault applies to the next request of any client.
   */
  withOwnFaultProxy(): Promise<Pick<LifecycleEnvironment, "variables">>;
  stop(): Promise<void>;
}

const runTimeoutMs = 180_000;

export async function startLifecycleEnvironment(): Promise<LifecycleEnvironment> {
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
    async withOwnFaultProxy() {
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
  { variables }: Pick<LifecycleEnvironment, "variables">,
  expectedSteps: readonly string[] = lifecycleSteps,
): Promise<Score> {
  const lines = await runAndReadLines(runner, variables, runTimeoutMs);
  const missingSteps = expectedSteps.filter((step) => !lines.includes(`${step} ok`));
  const problems = missingSteps.map(
    (step) => lines.find((line) => line.startsWith(`${step} `)) ?? `${step} was not run`,
  );
  if (missingSteps.length === 0 && lines.length !== expectedSteps.length)
    problems.push("it printed more lines than its steps");
  return { passed: expectedSteps.length - missingSteps.length, total: expectedSteps.length, problems };
}
