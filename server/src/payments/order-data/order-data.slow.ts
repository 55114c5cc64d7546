import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import {
  orderResponse,
  startScriptedProvider,
  startScriptedStack,
  type ProviderRequest,
  type ScriptedProvider,
  type ScriptedResponse,
} from "../../../test/start/scripted-provider.ts";
import { chooseMethod, newMerchantClient, openSession } from "../../../test/shop/test-session.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { callPayments, payRequest } from "../../../test/start/test-stack.ts";
import { forms } from "../../contract/schemas.ts";
import { eraseBuyer } from "../../operators/merchants/erase-buyer.ts";
import type { DataGroup } from "../../providers/provider-facts.ts";
import { PayRequest } from "../pay-request.schema.ts";

/**
 * Each free text of a request is a unique marker. Each provider must receive exactly the markers of the groups that its
 * facts want, and markers about the buyer must be in no log and in no table but `order_data`.
 */
const stack = await startScriptedStack();
const { merchant, database } = stack;

/** Descriptions of orders whose first submit gets no response. */
const lostSubmits = new Set<string>();
function script({ verb, fields }: ProviderRequest): ScriptedResponse {
  const { reference } = fields;
  if (verb === "submit" && lostSubmits.delete(String(fields["description"]))) return "reset";
  return orderResponse(reference, verb === "cancel" ? "CLOSED" : "OPEN");
}

const everyGroup = [
  "buyer",
  "device",
  "browser",
  "address",
  "goods",
  "locale",
  "descriptor",
  "metadata",
] as const satisfies readonly DataGroup[];

async function startProvider(
  name: string,
  methods: readonly string[],
  wants: readonly DataGroup[],
): Promise<ScriptedProvider> {
  const provider = await startScriptedProvider(name, script);
  await stack.connect(provider, { methods, facts: { wants } });
  return provider;
}

const curious = await startProvider("curious", ["GCASH"], everyGroup);
const modest = await startProvider("modest", ["MAYA"], ["buyer", "browser"]);
const indifferent = await startProvider("indifferent", ["DANA"], []);
const logging = { variables: { TOLLGATE_LOG_LEVEL: "trace" } };
const serving = await stack.serve({ ...logging, isPublic: true });
const { url } = serving;
const working = await stack.work(logging.variables);
let written = "";
for (const { child } of [serving.process, working])
  child.stdout?.on("data", (chunk: Buffer) => (written += chunk.toString("utf8")));

interface SchemaNode {
  readonly type?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly "x-personal"?: boolean;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** A valid text of each form that a marker cannot have. */
const texts: Readonly<Record<string, string>> = {
  [forms.region]: "DE",
  [forms.currency]: "EUR",
  [forms.amount]: "1250",
  [forms.time]: "2026-11-15T09:30:00+00:00",
};

/** The path of each marker. */
type Markers = ReadonlyMap<string, string>;

/** Paths of personal data by the schema. The request log masks them, and keeps other texts, such as a device's brand. */
const personalPaths = new Set<string>();

/** Fills every field of a schema, and adds the markers. */
function fill(schema: SchemaNode, path: string, markers: Map<string, string>): unknown {
  const { type, pattern, properties, items } = schema;
  if (properties)
    return Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, fill(each, `${path}.${name}`, markers)]),
    );
  if (items) return [fill(items, path, markers)];
  if (type === "integer") return 60;
  if (type === "boolean") return true;
  const fixed = schema.enum?.[0] ?? (pattern === undefined ? undefined : texts[pattern]);
  if (fixed !== undefined) return fixed;
  const marker = Array.from({ length: 8 }, () => String.fromCharCode(97 + randomInt(26))).join("");
  markers.set(marker, path);
  if (schema["x-personal"]) personalPaths.add(path);
  return marker;
}

interface Marked {
  readonly order: { readonly [field: string]: unknown; readonly merchant: object };
  readonly env: Readonly<Record<string, unknown>>;
  readonly metadata: string;
}

/** The parts of a request with buyer data, with a marker in each text. */
function markedRequest(): { readonly request: Marked; readonly markers: Markers } {
  const markers = new Map<string, string>();
  const part = (name: "order" | "env" | "metadata"): unknown =>
    fill(PayRequest.properties[name], name, markers);
  const request = { order: part("order"), env: part("env"), metadata: part("metadata") } as Marked;
  return { request, markers };
}

/** The markers of each group, by their path in the request. */
const pathsOf: Readonly<Record<DataGroup, RegExp>> = {
  buyer: /^order\.buyer\./,
  device: /^env\.(osVersion|deviceTokenId|deviceBrand|deviceModel|clientIp)$/,
  browser: /^env\.userAgent$/,
  address: /^order\.shipping\./,
  goods: /^order\.goods\./,
  locale: /^locale$/,
  descriptor: /^order\.merchant\.merchantDisplayName$/,
  metadata: /^metadata$/,
};

/** Paths of the markers that a text contains. */
function foundIn(text: string, markers: Markers): readonly string[] {
  return [...markers].flatMap(([marker, path]) => (text.includes(marker) ? [path] : []));
}

function pathsIn(markers: Markers, ...patterns: readonly RegExp[]): readonly string[] {
  return [...markers.values()].filter((path) => patterns.some((pattern) => pattern.test(path)));
}

async function pay(paymentRequestId: string, method: string, request: object): Promise<string> {
  const body = payRequest(paymentRequestId, {
    paymentMethod: { paymentMethodType: method },
    userRegion: "BR",
    ...request,
  });
  const { json } = await callPayments(url, merchant, "pay", body);
  assert.equal(json.result["resultCode"], "PAYMENT_IN_PROCESS", JSON.stringify(json));
  return String(json["paymentId"]);
}

function submitsOf({ requests }: ScriptedProvider, paymentId: string): readonly ProviderRequest[] {
  return requests.filter(({ verb, fields }) => verb === "submit" && fields["paymentId"] === paymentId);
}

async function waitForSubmits(
  provider: ScriptedProvider,
  paymentId: string,
  count = 1,
): Promise<readonly ProviderRequest[]> {
  return eventually(
    20_000,
    async () => submitsOf(provider, paymentId),
    ({ length }) => length >= count,
  );
}

function rows(table: string, condition = "true"): Promise<readonly { readonly line: string }[]> {
  return asSuperuser(
    `select t::text as line from ${table} as t where ${condition}`,
    [],
    database.superuserUrl,
  );
}

const asked = new Map<string, Markers>();

for (const [provider, method, wants] of [
  [curious, "GCASH", everyGroup],
  [modest, "MAYA", ["buyer", "browser"]],
  [indifferent, "DANA", []],
] as const)
  test(`the provider ${provider.name} receives exactly the groups of its facts`, async () => {
    const { request, markers } = markedRequest();
    const paymentId = await pay(`groups-${method}`, method, request);
    asked.set(paymentId, markers);
    const [submit] = await waitForSubmits(provider, paymentId);
    const wanted = wants.map((group) => pathsOf[group]);
    assert.deepEqual(
      foundIn(JSON.stringify(submit?.fields), markers),
      pathsIn(markers, /^order\.orderDescription$/, ...wanted),
    );
    const data = submit?.fields["data"] as Readonly<Record<string, unknown>> | undefined;
    assert.deepEqual(Object.keys(data ?? {}).sort(), wants.toSorted());
    const stored = (await rows("order_data", `payment_id = '${paymentId}'`)).map(({ line }) => line).join();
    assert.deepEqual(
      foundIn(stored, markers),
      pathsIn(markers, ...wanted.filter((pattern) => pattern !== pathsOf.metadata)),
    );
  });

test("each group has the merchant's fields, and env is split into device and browser", async () => {
  const { request } = markedRequest();
  const [submit] = await waitForSubmits(curious, await pay("fields", "GCASH", request));
  const { order, env, metadata } = request;
  const { userAgent, colorDepth, screenHeight, screenWidth, timeZoneOffset, extendInfo: _, ...device } = env;
  const { merchantDisplayName } = order.merchant as { merchantDisplayName?: string };
  assert.deepEqual(submit?.fields["data"], {
    buyer: order["buyer"],
    device,
    browser: { userAgent, colorDepth, screenHeight, screenWidth, timeZoneOffset },
    address: order["shipping"],
    goods: { goods: order["goods"], orderAmount: order["orderAmount"] },
    locale: { userRegion: "BR" },
    descriptor: { merchantDisplayName },
    metadata: { metadata },
  });
});

test("a submit that is repeated by another process carries the same data", async () => {
  const { request } = markedRequest();
  lostSubmits.add(String(request.order["orderDescription"]));
  const paymentId = await pay("repeated", "GCASH", request);
  const [first, second] = await waitForSubmits(curious, paymentId, 2);
  assert.ok(first?.fields["data"]);
  assert.deepEqual(second?.fields["data"], first.fields["data"]);
});

test("a session sends what the chosen connector wants, and the language of the page unless the merchant sent one", async () => {
  const client = newMerchantClient(url, merchant);
  const { request, markers } = markedRequest();
  const modestSession = await openSession(client, request);
  await chooseMethod(modestSession.pageUrl, "MAYA");
  const [submit] = await waitForSubmits(modest, modestSession.paymentId);
  assert.deepEqual(
    foundIn(JSON.stringify(submit?.fields), markers),
    pathsIn(markers, /^order\.orderDescription$/, pathsOf.buyer, pathsOf.browser),
  );

  const localeOf = async (more: object): Promise<unknown> => {
    const session = await openSession(client, { ...more, userRegion: "BR" });
    await chooseMethod(`${session.pageUrl}?lang=pt-BR`, "GCASH");
    const [sent] = await waitForSubmits(curious, session.paymentId);
    const data = sent?.fields["data"] as { readonly locale?: object } | undefined;
    return data?.locale;
  };
  assert.deepEqual(await localeOf({}), { locale: "pt-BR", userRegion: "BR" });
  assert.deepEqual(await localeOf({ locale: "de" }), { locale: "de", userRegion: "BR" });
});

test("data about the buyer is in no other table, and no personal data is in a log", async () => {
  const aboutBuyer = [pathsOf.buyer, pathsOf.device, pathsOf.browser, pathsOf.address];
  const mustNotContain = (path: string, where: string): boolean =>
    where.startsWith("request_log")
      ? personalPaths.has(path)
      : aboutBuyer.some((pattern) => pattern.test(path));
  await eventually(
    15_000,
    () => rows("request_log", "path like '%/pay'"),
    ({ length }) => length >= asked.size,
  );
  const tables = await asSuperuser<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'order_data'`,
    [],
    database.superuserUrl,
  );
  const outputs = new Map([
    ["stdout", written],
    ["stderr", serving.process.stderr() + working.stderr()],
  ]);
  for (const { name } of tables) outputs.set(name, (await rows(name)).map(({ line }) => line).join("\n"));
  assert.match(written, /payments\/pay/);
  for (const [where, text] of outputs)
    for (const markers of asked.values())
      assert.deepEqual(
        foundIn(text, markers).filter((path) => mustNotContain(path, where)),
        [],
        where,
      );
});

test("an erasure empties the data", async () => {
  const { request, markers } = markedRequest();
  const paymentId = await pay("erased", "GCASH", request);
  await waitForSubmits(curious, paymentId);
  const inTable = async (): Promise<readonly string[]> =>
    foundIn(JSON.stringify(await rows("order_data", `payment_id = '${paymentId}'`)), markers);
  assert.notDeepEqual(await inTable(), []);
  await callPayments(url, merchant, "cancel", { paymentId });
  const { clientId } = merchant;
  const operator = { url: database.ownerUrl, environment: "sandbox", by: { reason: "asked" } } as const;
  const counts = await eventually(
    15_000,
    () => eraseBuyer(operator, { clientId, kind: "payment", id: paymentId }).catch(() => undefined),
    (erased) => erased !== undefined,
  );
  assert.partialDeepStrictEqual(counts, { order_data: 1 });
  assert.deepEqual(await inTable(), []);
});
