import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { operations } from "../../catalog/operations.ts";
import { addConnector } from "../../operators/providers/connector-settings.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { findBinFolder, findFreePort } from "../../postgres/temporary-postgres.ts";
import {
  call,
  newKeyPair,
  newMerchant,
  pathOf,
  prepareTestGateway,
} from "../../../test/start/test-gateway.ts";
import { waitForLine } from "../../../test/start/test-process.ts";
import { gatewayProcesses, payRequest } from "../../../test/start/test-stack.ts";

/**
 * This test sends real signed requests with secrets in every field that may contain one. Then it searches the whole
 * database, and all logs, metrics and traces.
 */
const { database, variables } = await prepareTestGateway("sandbox");
await addConnector(database.ownerUrl, "sandbox", {
  name: "silent",
  url: `http://127.0.0.1:${await findFreePort()}`,
  partnerId: "tollgate",
  publicKeyFile: (await newKeyPair("provider")).publicKeyFile,
  paymentMethodTypes: ["*"],
  simulator: true,
  terms: { demandsRegistration: false, currencies: [] },
});
const merchant = await newMerchant(database);
/** Everything that was sent to the trace collector. */
let spans = "";
const collector = createServer((request, response) => {
  request.on("data", (chunk: Buffer) => (spans += chunk.toString("utf8")));
  request.on("end", () => response.end("{}"));
}).listen(0, "127.0.0.1");
await once(collector, "listening");
after(() => collector.close());
const serving = await (
  await gatewayProcesses(database, variables)
).serve({
  variables: {
    TOLLGATE_LOG_LEVEL: "trace",
    TOLLGATE_METRICS_PORT: "0",
    TOLLGATE_OTLP_URL: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
  },
});
let written = "";
serving.process.child.stdout?.on("data", (chunk: Buffer) => (written += chunk.toString("utf8")));

type Json = { [name: string]: unknown };

interface SchemaNode {
  readonly "x-secret"?: boolean;
  readonly "x-personal"?: boolean;
  readonly "x-address"?: boolean;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** The field of each secret, so that a failure names it. */
const hidden = new Map<string, string>();
/** Personal data, by field. It may be stored with the payment, but not in the log. */
const personal = new Map<string, string>();

function newSecret(where: string, kept = hidden): string {
  // A random secret without digits, so that none is taken for a card number.
  const secret = randomBytes(48)
    .toString("base64url")
    .replaceAll(/[0-9_-]/g, "")
    .slice(0, 28);
  kept.set(secret, where);
  return secret;
}

/** The same secret as a text, in a list, in an object or in a text that holds JSON. */
function anyShape(secret: string): unknown {
  return [secret, [secret], { token: secret }, [{ deep: [secret, 1] }], JSON.stringify({ secret })][
    randomInt(5)
  ];
}

/** A random object that contains the value, at any depth. */
function anyObject(value: unknown): Json {
  const objects: Json[] = [];
  const walk = (each: unknown): void => {
    if (Array.isArray(each)) each.forEach(walk);
    else if (typeof each === "object" && each !== null) {
      objects.push(each as Json);
      Object.values(each).forEach(walk);
    }
  };
  walk(value);
  return objects[randomInt(objects.length)] ?? {};
}

const unknownNames = [
  "AccessToken",
  "refresh_token",
  "paymentMethodID",
  "buyerPassword",
  "x",
  "Authorization",
];

/** Fills fields that are declared secret or personal, and addresses with a query. */
function filled(schema: SchemaNode, value: unknown, where: string): unknown {
  if (schema["x-secret"]) return newSecret(where);
  if (schema["x-personal"]) return newSecret(where, personal);
  if (schema["x-address"]) return `https://shop.example/back?session=${newSecret(where, personal)}`;
  if (schema.items && Array.isArray(value))
    return value.map((each) => filled(schema.items ?? {}, each, where));
  if (!schema.properties || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, each]) => {
      const isHidden = each["x-secret"] || each["x-personal"] || each["x-address"];
      const given = (value as Json)[name] ?? (isHidden ? "" : each.properties && {});
      return given === undefined ? [] : [[name, filled(each, given, `${where}.${name}`)]];
    }),
  );
}

function withSecretAt(path: string, example: object): object {
  const request = structuredClone(example) as Json;
  const name = unknownNames[randomInt(unknownNames.length)] ?? "";
  anyObject(request)[name] = anyShape(newSecret(`${path} ${name}`));
  const known = Object.keys(request)[randomInt(Object.keys(request).length)] ?? name;
  if (randomInt(2) === 0) request[known] = { inside: newSecret(`${path} ${known}, of another shape`) };
  return request;
}

async function dump(...options: readonly string[]): Promise<string> {
  const program = `${await findBinFolder()}/pg_dump`;
  const { stdout } = await promisify(execFile)(program, ["--dbname", database.superuserUrl, ...options], {
    maxBuffer: 1e9,
  });
  // PostgreSQL prints bytes as hexadecimal digits, so the test also searches the decoded bytes.
  const bytes = [...stdout.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex = ""]) =>
    Buffer.from(hex, "hex").toString(),
  );
  return stdout + bytes.join("\n");
}

test("no secret in any request field reaches the database, and no personal data any log, metric or trace", async () => {
  await Promise.all(
    operations.map(async ({ path, request, example }) => {
      const bodies = [
        filled(request, structuredClone(example.request), path),
        ...Array.from({ length: 8 }, () => withSecretAt(path, example.request as object)),
      ];
      for (const body of bodies)
        await call(serving.url, merchant, { path: pathOf("sandbox", path), body: JSON.stringify(body) });
    }),
  );
  const [, metricsUrl = ""] =
    /metrics at (http:\S+)/.exec(await waitForLine(serving.process, /metrics at/)) ?? [];
  const metrics = await (await fetch(metricsUrl)).text();
  await serving.process.stop();
  const everything = await dump();
  assert.ok(everything.includes("payments/createPaymentSession"), "The log was written.");
  assert.ok(hidden.size > 250 && personal.size > 50, `${hidden.size} and ${personal.size}`);
  assert.deepEqual(
    [...hidden].filter(([secret]) => everything.includes(secret)),
    [],
  );
  const log = await dump("--table", "request_log*");
  assert.deepEqual(
    [...personal].filter(([word]) => log.includes(word)),
    [],
  );
  const outputs = { written: written + serving.process.stderr(), metrics, spans };
  for (const [where, text] of Object.entries(outputs)) {
    assert.match(text, /payments\/createPaymentSession/, where);
    assert.deepEqual(
      [...hidden, ...personal].filter(([word]) => text.includes(word)),
      [],
      where,
    );
  }
});

test("the log contains no link that opens a checkout page", async () => {
  const again = await serve(readSettings(variables));
  for (const [path, body] of [
    ["payments/pay", payRequest("shown")],
    [
      "payments/createPaymentSession",
      { ...payRequest("chosen"), productCode: "CASHIER_PAYMENT", productScene: "CHECKOUT_PAYMENT" },
    ],
  ] as const) {
    const sent = { path: pathOf("sandbox", path), body: JSON.stringify(body) };
    const { json } = await call(again.url, merchant, sent);
    assert.match(String(json["normalUrl"]), /\/checkout\//, JSON.stringify(json));
  }
  await again.stop();
  const log = await dump("--table", "request_log*");
  assert.match(log, /"paymentId": ?"\d{35}"/);
  assert.doesNotMatch(await dump(), /\/checkout\//);
});
