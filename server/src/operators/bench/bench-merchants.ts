import { generateKeyPair, randomUUID, sign, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { writeSignatureHeader } from "../../signing/signature-header.ts";
import { signedText } from "../../signing/signed-text.ts";
import { CommandFailed } from "../../core/command-errors.ts";

/** Isolated test merchants that only the load test uses. A sweep deletes all their data. */
export interface BenchMerchants {
  /** Address of the simulated provider; undefined if the provider is not a simulator. */
  readonly providerUrl: string | undefined;
  /** The secret of the sandbox control interface; the simulated provider's control accepts it, too. */
  readonly secret: string;
  /** Opens isolated test merchants until there are `count`. */
  openUntil(count: number): Promise<void>;
  clientIds(): readonly string[];
  /** Returns a complete signed request. `operation` is a name without its area, such as `pay`. */
  signRequest(clientId: string, operation: string, body: object): Promise<Buffer>;
  close(): Promise<void>;
}

interface OpenedMerchant {
  readonly clientId: string;
  readonly walletUrl?: string;
}

const openConcurrency = 20;
const signAsync = promisify(sign);

export async function openMerchants(
  url: string,
  secretFile: string,
  lifetimeSeconds: number,
): Promise<BenchMerchants> {
  const secret = (await readFile(secretFile, "utf8")).trim();
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  const pem = publicKey.export({ format: "pem", type: "spki" });
  const body = JSON.stringify({ publicKey: pem, name: "Load of `tollgate bench`", lifetimeSeconds });
  const openedMerchants: OpenedMerchant[] = [];

  async function openUntil(count: number): Promise<void> {
    while (openedMerchants.length < count) {
      const missing = Math.min(openConcurrency, count - openedMerchants.length);
      const batch = Array.from({ length: missing }, () =>
        callControlApi<OpenedMerchant>(url, secret, { method: "POST", body }),
      );
      openedMerchants.push(...(await Promise.all(batch)));
    }
  }

  await openUntil(1);
  return {
    providerUrl: openedMerchants[0]?.walletUrl,
    secret,
    openUntil,
    clientIds: () => openedMerchants.map(({ clientId }) => clientId),
    signRequest: (clientId, operation, request) =>
      buildSignedRequest({ url, clientId, privateKey, operation }, request),
    async close() {
      const closing = openedMerchants.map(({ clientId }) =>
        callControlApi(url, secret, { method: "DELETE" }, `/${clientId}`),
      );
      await Promise.allSettled(closing);
    },
  };
}

async function callControlApi<Answer>(
  url: string,
  secret: string,
  init: RequestInit,
  path = "",
): Promise<Answer> {
  const address = `${url}/sandbox/universes${path}`;
  const headers = { authorization: `Bearer ${secret}` };
  const response = await fetch(address, { ...init, headers }).catch((cause: unknown) => {
    throw new CommandFailed(`No gateway responds at ${url}. Start it, or give its address with --url.`, {
      cause,
    });
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Answer;
  const { problem = text.slice(0, 200) } = parseJsonOrEmpty(text) as { readonly problem?: string };
  throw new CommandFailed(`${url} opens no isolated test merchant for the load test: ${problem}`);
}

function parseJsonOrEmpty(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}

interface RequestToSign {
  readonly url: string;
  readonly clientId: string;
  readonly privateKey: KeyObject;
  readonly operation: string;
}

async function buildSignedRequest(
  { url, clientId, privateKey, operation }: RequestToSign,
  request: object,
): Promise<Buffer> {
  const path = `/ams/sandbox/api/v1/payments/${operation}`;
  const body = Buffer.from(JSON.stringify(request));
  const time = String(Date.now());
  const signature = await signAsync(
    "sha256",
    signedText({ method: "POST", path, clientId, time, body }),
    privateKey,
  );
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${new URL(url).host}`,
    "content-type: application/json; charset=UTF-8",
    `client-id: ${clientId}`,
    `request-time: ${time}`,
    `signature: ${writeSignatureHeader(1, signature)}`,
    `content-length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

/** Returns a payment that a buyer approves on a page. With `notifyUrl`, the merchant receives a webhook. */
export function newPayment(notifyUrl: string | undefined): { readonly paymentRequestId: string } {
  const amount = { currency: "EUR", value: "1250" };
  return {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId: `bench-${randomUUID()}`,
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    ...(notifyUrl !== undefined && { paymentNotifyUrl: notifyUrl }),
    env: { terminalType: "WEB" },
  } as { readonly paymentRequestId: string };
}
