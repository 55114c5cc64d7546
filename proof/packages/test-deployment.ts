import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import { podman } from "./podman.ts";
import { waitUntil } from "../trial/test-environment.ts";

const run = promisify(execFile);
const makeSecrets = fileURLToPath(new URL("../../deploy/make-secrets.sh", import.meta.url));

/** A folder of secrets as operators create it, ports for gateway and provider, and a unique name for all containers. */
export interface TestDeployment {
  readonly name: string;
  readonly secrets: string;
  readonly port: number;
  readonly providerPort: number;
  /** Passwords that podman must not show about a container. */
  readonly passwords: readonly string[];
  remove(): void;
}

/** Creates a place for a trial. `hostOf` returns the database's host name in the containers' network. */
export async function prepareTestDeployment(hostOf: (name: string) => string): Promise<TestDeployment> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-try-"));
  const name = folder.slice(folder.lastIndexOf("-") + 1).toLowerCase();
  const secrets = join(folder, "secrets");
  await run("sh", [makeSecrets, secrets, "sandbox", hostOf(name)]);
  const passwords = ["superuser", "owner", "serve", "staff", "work"].map((login) =>
    readFileSync(join(secrets, "passwords", login), "utf8").trim(),
  );
  return {
    name,
    secrets,
    port: await findFreePort(),
    providerPort: await findFreePort(),
    passwords,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Makes a complete payment with the merchant's command line and the pages of its buyer; returns its id. */
export async function payThroughPages(
  shop: (...args: readonly string[]) => Promise<string>,
): Promise<string> {
  let output: string | undefined;
  await waitUntil(
    async () => (output = await requestPayment(shop)) !== undefined,
    "the provider to be known to serve",
  );
  const { paymentId, normalUrl } = JSON.parse(output ?? "") as {
    readonly paymentId: string;
    readonly normalUrl: string;
  };
  let orderUrl: string | undefined;
  await waitUntil(
    async () => {
      const page = await (await fetch(normalUrl)).text();
      orderUrl = /href="([^"]*\/pay\/[^"]+)"/.exec(page)?.[1];
      return orderUrl !== undefined;
    },
    "the page to lead to the provider",
    120_000,
  );
  await fetch(orderUrl ?? "", { method: "POST", body: new URLSearchParams({ choice: "approve" }) });
  // The timeout is two minutes: if the callback is lost, the gateway polls half a minute later.
  await waitUntil(() => isPaid(shop, paymentId), "the payment to be paid", 120_000);
  return paymentId;
}

/**
 * Requests a payment. The result is undefined as long as `serve` has not loaded the new connector, which takes up to
 * ten seconds.
 */
async function requestPayment(
  shop: (...args: readonly string[]) => Promise<string>,
): Promise<string | undefined> {
  return shop("pay", "12.50", "--json").catch((error: Error) => {
    if (error.message.includes("NO_PAY_OPTIONS")) return undefined;
    throw error;
  });
}

export async function isPaid(
  shop: (...args: readonly string[]) => Promise<string>,
  paymentId: string,
): Promise<boolean> {
  const { paymentStatus } = JSON.parse(await shop("inquire", paymentId, "--json")) as {
    readonly paymentStatus?: string;
  };
  return paymentStatus === "SUCCESS";
}

/** Passwords in podman's output about these containers. */
export async function findShownPasswords(
  containers: readonly string[],
  { passwords }: TestDeployment,
): Promise<readonly string[]> {
  const output = await podman("inspect", ...containers);
  return passwords.some((password) => output.includes(password)) ? ["podman inspect tells a password"] : [];
}

/** Stops containers like their operator, and returns those that did not exit with 0. */
export async function stopAndFindFailures(containers: readonly string[]): Promise<readonly string[]> {
  const misses: string[] = [];
  for (const container of containers) {
    await podman("stop", "--time", "60", container);
    const status = await podman("inspect", "--format", "{{.State.ExitCode}}", container);
    if (status !== "0") misses.push(`${container} ended with ${status}`);
  }
  return misses;
}
