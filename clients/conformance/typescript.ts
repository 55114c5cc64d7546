import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBase64, textOf, toBase64, utf8 } from "../typescript/src/bytes.ts";
import { keyFrom } from "../typescript/src/environment.ts";
import {
  ConfigurationError,
  GatewayError,
  HttpStatusError,
  InvalidKeyError,
  ResultError,
  SignatureVerificationError,
} from "../typescript/src/errors.ts";
import { withoutNulls } from "../typescript/src/json.ts";
import { privateKeyOf, publicKeyOf, type PrivateKey, type PublicKey } from "../typescript/src/key.ts";
import { Money } from "../typescript/src/money.ts";
import { withOutcome } from "../typescript/src/payment-outcome.ts";
import { signedText, writeSignatureHeader } from "../typescript/src/signature.ts";
import { Tollgate, type TollgateOptions } from "../typescript/src/tollgate.ts";
import { timeProblem, verify } from "../typescript/src/verify.ts";
import { findCase, describeDifference, reportCases } from "./report.ts";
import { runByCodeCase, createMerchantOptions } from "./typescript-by-code.ts";
import {
  byCode,
  http,
  keyload,
  findKeyPair,
  modelCases,
  moneyCases,
  outcomeCases,
  signCases,
  verifyCases,
  type HttpExpectation,
} from "./vectors.ts";

const gateway = process.env["CONFORMANCE_URL"] ?? "";

await reportCases("sign", signCases, async (id) => {
  const each = findCase(signCases, id);
  const text = signedText({ ...each, body: bytes(each.bodyBase64) });
  if (createHash("sha256").update(text).digest("hex") !== each.contentSha256)
    return "the signed text differs";
  const signature = await privateKeyOf(findKeyPair(each.key).privatePkcs8).sign(text);
  if (toBase64(signature) !== each.signature) return "the signature differs";
  return describeDifference(writeSignatureHeader(each.keyVersion, signature), each.header);
});

await reportCases("verify", verifyCases, async (id) => {
  const each = findCase(verifyCases, id);
  const keys = (version: number): ReturnType<typeof publicKeyOf> | undefined => {
    const name = each.publicKeys[version];
    return name === undefined ? undefined : publicKeyOf(findKeyPair(name).publicSpki);
  };
  const message = { ...each, clientId: each.expectedClientId, body: bytes(each.bodyBase64) };
  const verified = await verify(message, keys);
  if (typeof verified === "string") return describeDifference(verified, each.expect);
  const clockProblem =
    each.kind === "webhook"
      ? timeProblem(verified.time, Date.parse(each.now), each.toleranceSeconds)
      : undefined;
  const isReplayed = each.seen?.includes(verified.replayKey) ?? false;
  return describeDifference(clockProblem ?? (isReplayed ? "REPLAYED" : "OK"), each.expect);
});

await reportCases("keyload", keyload.cases, async (id) => {
  const { half, text, expect } = findCase(keyload.cases, id);
  try {
    const isUsable =
      half === "private" ? signsCorrectly(privateKeyOf(text)) : verifiesCorrectly(publicKeyOf(text));
    return describeDifference((await isUsable) ? "OK" : "another key", expect);
  } catch (error) {
    if (!(error instanceof InvalidKeyError)) throw error;
    if (error.message.includes("MII")) return "the key is in the message";
    return describeDifference(error.reason, expect);
  }
});

await reportCases("keyload", keyload.settings, async (id) => {
  const { half, variable, file: content, place, expect, message } = findCase(keyload.settings, id);
  const folder = await mkdtemp(join(tmpdir(), "tollgate-key-"));
  const file = join(folder, "key.pem");
  if (place === "folder") await mkdir(file);
  if (content !== undefined) await writeFile(file, content);
  const name = half === "private" ? "TOLLGATE_PRIVATE_KEY" : "TOLLGATE_GATEWAY_PUBLIC_KEY";
  const isNamed = content !== undefined || place !== undefined;
  // An empty variable counts as not set, as in the environment.
  const variables: Readonly<Record<string, string | undefined>> = {
    [name]: variable || undefined,
    [`${name}_FILE`]: isNamed ? file : undefined,
  };
  const readVariable = (each: string): string | undefined => variables[each];
  try {
    const isUsable =
      half === "private"
        ? keyFrom(name, (text) => signsCorrectly(privateKeyOf(text)), readVariable)
        : keyFrom(name, (text) => verifiesCorrectly(publicKeyOf(text)), readVariable);
    if (isUsable === undefined) return describeDifference("ABSENT", expect);
    return describeDifference((await isUsable) ? "OK" : "another key", expect);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const reason = error instanceof InvalidKeyError ? error.reason : "CONFIGURATION";
    const sentence = message?.replace("{file}", file).replace("{folder}", process.cwd());
    return describeDifference([reason, error.message], [expect, sentence]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

await reportCases("money", moneyCases, (id) => {
  const { currency, decimal, expect, value, written } = findCase(moneyCases, id);
  try {
    const money = Money.of(currency, decimal);
    const reread = Money.from(money.toAmount());
    return describeDifference([reread.toAmount().value, reread.toDecimal(), "OK"], [value, written, expect]);
  } catch (error) {
    return error instanceof RangeError ? describeDifference("REFUSED", expect) : String(error);
  }
});

// Bodies are plain objects here: parsed JSON without nulls.
await reportCases("models", modelCases, (id) => {
  const { json, expect } = findCase(modelCases, id);
  const parsed = withoutNulls(JSON.parse(textOf(utf8(JSON.stringify(json))) ?? ""));
  return describeDifference(JSON.parse(JSON.stringify(parsed)), expect);
});

// Reads all four outcome properties: exactly one must be true.
await reportCases("outcomes", outcomeCases, (id) => {
  const { type, json, outcome } = findCase(outcomeCases, id);
  const { isPaid, isAuthorized, isPending, isFailed } = withOutcome(type, structuredClone(json));
  const actual = { PAID: isPaid, AUTHORIZED: isAuthorized, PENDING: isPending, FAILED: isFailed };
  return describeDifference(
    Object.entries(actual).flatMap(([name, isTrue]) => (isTrue ? [name] : [])),
    [outcome],
  );
});

await reportCases("http", http.cases, async (id) => {
  const { operation, clientId, client, call, wait, expect } = findCase(http.cases, id);
  const run = `typescript/${id}/${Math.random()}`;
  const startedAtMs = performance.now();
  const outcome = await checkOutcome(async () => {
    const clientIdOption = clientId === undefined ? {} : { clientId };
    const options = {
      ...createMerchantOptions(gateway),
      ...clientIdOption,
      ...client,
    } satisfies TollgateOptions;
    const tollgate = new Tollgate(options);
    const request = { paymentRequestId: run };
    return wait
      ? ((await tollgate.payments.waitForFinal(request, wait)) as object as GatewayResponse)
      : tollgate.request(operation, request, call);
  }, expect);
  const tookMs = performance.now() - startedAtMs;
  const response = await fetch(`${gateway}/seen?run=${encodeURIComponent(run)}`);
  const requestReport = (await response.json()) as {
    readonly attempts: number;
    readonly problems: readonly string[];
  };
  const { withinMs = Infinity, attempts } = expect;
  if (tookMs > withinMs) return `it took ${Math.round(tookMs)} ms`;
  // The number of polls is not compared, because it depends on the speed of the machine.
  return (
    outcome ??
    describeDifference(wait ? requestReport.problems : requestReport, wait ? [] : { attempts, problems: [] })
  );
});

await reportCases("by-code", byCode.cases, (id) => runByCodeCase(gateway, id));

async function signsCorrectly(key: PrivateKey): Promise<boolean> {
  return toBase64(await key.sign(utf8(keyload.text))) === keyload.signature;
}

function verifiesCorrectly(key: PublicKey): Promise<boolean> {
  return key.verify(utf8(keyload.text), bytes(keyload.signature));
}

async function checkOutcome(
  call: () => ReturnType<Tollgate["request"]>,
  expect: HttpExpectation,
): Promise<string | undefined> {
  const answer = await call().catch((error: unknown) => error);
  return answer instanceof Error
    ? describeErrorProblem(answer, expect)
    : describeResponseProblem(answer as GatewayResponse, expect);
}

type GatewayResponse = Awaited<ReturnType<Tollgate["request"]>>;

function describeResponseProblem(answer: GatewayResponse, expect: HttpExpectation): string | undefined {
  const { outcome, code, resultStatus, fields = {}, absent = [], attempts } = expect;
  const statusFlags = { S: answer.isSuccess, F: answer.isFailure, U: answer.isPending };
  const isCalled = Object.entries(statusFlags).flatMap(([status, isTrue]) => (isTrue ? [status] : []));
  const actual = {
    outcome: "answer",
    code: answer.result.resultCode,
    isCalled,
    fields: Object.fromEntries(Object.keys(fields).map((name) => [name, answer[name]])),
    absent: absent.filter((name) => !(name in answer)),
    attempts: answer.attempts,
  };
  return describeDifference(actual, { outcome, code, isCalled: [resultStatus], fields, absent, attempts });
}

function describeErrorProblem(error: Error, expect: HttpExpectation): string | undefined {
  const { outcome, class: name, code, isSigned, reason, httpStatus, message, attempts } = expect;
  const actual = {
    outcome: "error",
    name: error.name,
    ...(error instanceof ResultError && { code: error.code, isSigned: error.isSigned }),
    ...(error instanceof SignatureVerificationError && { reason: error.reason }),
    ...(error instanceof HttpStatusError && { httpStatus: error.status }),
    message: message === undefined ? undefined : error.message,
    attempts: error instanceof GatewayError ? (error.attempts ?? 0) : -1,
  };
  return describeDifference(actual, { outcome, name, code, isSigned, reason, httpStatus, message, attempts });
}

function bytes(base64: string): Uint8Array {
  return fromBase64(base64) ?? new Uint8Array();
}
