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
import { byId, difference, report } from "./report.ts";
import { byCodeProblem, merchantOptions } from "./typescript-by-code.ts";
import {
  byCode,
  http,
  keyload,
  keyNamed,
  modelCases,
  moneyCases,
  outcomeCases,
  signCases,
  verifyCases,
  type HttpExpectation,
} from "./vectors.ts";

const gateway = process.env["CONFORMANCE_URL"] ?? "";

await report("sign", signCases, async (id) => {
  const each = byId(signCases, id);
  const text = signedText({ ...each, body: bytes(each.bodyBase64) });
  if (createHash("sha256").update(text).digest("hex") !== each.contentSha256)
    return "the signed text differs";
  const signature = await privateKeyOf(keyNamed(each.key).privatePkcs8).sign(text);
  if (toBase64(signature) !== each.signature) return "the signature differs";
  return difference(writeSignatureHeader(each.keyVersion, signature), each.header);
});

await report("verify", verifyCases, async (id) => {
  const each = byId(verifyCases, id);
  const keys = (version: number): ReturnType<typeof publicKeyOf> | undefined => {
    const name = each.publicKeys[version];
    return name === undefined ? undefined : publicKeyOf(keyNamed(name).publicSpki);
  };
  const message = { ...each, clientId: each.expectedClientId, body: bytes(each.bodyBase64) };
  const verified = await verify(message, keys);
  if (typeof verified === "string") return difference(verified, each.expect);
  const late =
    each.kind === "webhook"
      ? timeProblem(verified.time, Date.parse(each.now), each.toleranceSeconds)
      : undefined;
  const isReplayed = each.seen?.includes(verified.replayKey) ?? false;
  return difference(late ?? (isReplayed ? "REPLAYED" : "OK"), each.expect);
});

await report("keyload", keyload.cases, async (id) => {
  const { half, text, expect } = byId(keyload.cases, id);
  try {
    const works = half === "private" ? signsRightly(privateKeyOf(text)) : verifiesRightly(publicKeyOf(text));
    return difference((await works) ? "OK" : "another key", expect);
  } catch (error) {
    if (!(error instanceof InvalidKeyError)) throw error;
    if (error.message.includes("MII")) return "the key is in the message";
    return difference(error.reason, expect);
  }
});

await report("keyload", keyload.settings, async (id) => {
  const { half, variable, file: content, place, expect, message } = byId(keyload.settings, id);
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
  const lookUp = (each: string): string | undefined => variables[each];
  try {
    const works =
      half === "private"
        ? keyFrom(name, (text) => signsRightly(privateKeyOf(text)), lookUp)
        : keyFrom(name, (text) => verifiesRightly(publicKeyOf(text)), lookUp);
    if (works === undefined) return difference("ABSENT", expect);
    return difference((await works) ? "OK" : "another key", expect);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const reason = error instanceof InvalidKeyError ? error.reason : "CONFIGURATION";
    const sentence = message?.replace("{file}", file).replace("{folder}", process.cwd());
    return difference([reason, error.message], [expect, sentence]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

await report("money", moneyCases, (id) => {
  const { currency, decimal, expect, value, written } = byId(moneyCases, id);
  try {
    const money = Money.of(currency, decimal);
    const back = Money.from(money.toAmount());
    return difference([back.toAmount().value, back.toDecimal(), "OK"], [value, written, expect]);
  } catch (error) {
    return error instanceof RangeError ? difference("REFUSED", expect) : String(error);
  }
});

// Bodies are plain objects here: parsed JSON without nulls.
await report("models", modelCases, (id) => {
  const { json, expect } = byId(modelCases, id);
  const read = withoutNulls(JSON.parse(textOf(utf8(JSON.stringify(json))) ?? ""));
  return difference(JSON.parse(JSON.stringify(read)), expect);
});

// Reads all four outcome properties: exactly one must be true.
await report("outcomes", outcomeCases, (id) => {
  const { type, json, outcome } = byId(outcomeCases, id);
  const { isPaid, isAuthorized, isPending, isFailed } = withOutcome(type, structuredClone(json));
  const found = { PAID: isPaid, AUTHORIZED: isAuthorized, PENDING: isPending, FAILED: isFailed };
  return difference(
    Object.entries(found).flatMap(([name, holds]) => (holds ? [name] : [])),
    [outcome],
  );
});

await report("http", http.cases, async (id) => {
  const { operation, clientId, client, call, wait, expect } = byId(http.cases, id);
  const run = `typescript/${id}/${Math.random()}`;
  const startedAtMs = performance.now();
  const outcome = await outcomeOf(async () => {
    const own = clientId === undefined ? {} : { clientId };
    const options = { ...merchantOptions(gateway), ...own, ...client } satisfies TollgateOptions;
    const tollgate = new Tollgate(options);
    const asked = { paymentRequestId: run };
    return wait
      ? ((await tollgate.payments.waitForFinal(asked, wait)) as object as Answered)
      : tollgate.request(operation, asked, call);
  }, expect);
  const tookMs = performance.now() - startedAtMs;
  const response = await fetch(`${gateway}/seen?run=${encodeURIComponent(run)}`);
  const seen = (await response.json()) as { readonly attempts: number; readonly problems: readonly string[] };
  const { withinMs = Infinity, attempts } = expect;
  if (tookMs > withinMs) return `it took ${Math.round(tookMs)} ms`;
  // The number of polls is not compared, because it depends on the speed of the machine.
  return outcome ?? difference(wait ? seen.problems : seen, wait ? [] : { attempts, problems: [] });
});

await report("by-code", byCode.cases, (id) => byCodeProblem(gateway, id));

async function signsRightly(key: PrivateKey): Promise<boolean> {
  return toBase64(await key.sign(utf8(keyload.text))) === keyload.signature;
}

function verifiesRightly(key: PublicKey): Promise<boolean> {
  return key.verify(utf8(keyload.text), bytes(keyload.signature));
}

async function outcomeOf(
  call: () => ReturnType<Tollgate["request"]>,
  expect: HttpExpectation,
): Promise<string | undefined> {
  const answer = await call().catch((error: unknown) => error);
  return answer instanceof Error ? errorProblem(answer, expect) : answerProblem(answer as Answered, expect);
}

type Answered = Awaited<ReturnType<Tollgate["request"]>>;

function answerProblem(answer: Answered, expect: HttpExpectation): string | undefined {
  const { outcome, code, resultStatus, fields = {}, absent = [], attempts } = expect;
  const words = { S: answer.isSuccess, F: answer.isFailure, U: answer.isPending };
  const isCalled = Object.entries(words).flatMap(([status, holds]) => (holds ? [status] : []));
  const found = {
    outcome: "answer",
    code: answer.result.resultCode,
    isCalled,
    fields: Object.fromEntries(Object.keys(fields).map((name) => [name, answer[name]])),
    absent: absent.filter((name) => !(name in answer)),
    attempts: answer.attempts,
  };
  return difference(found, { outcome, code, isCalled: [resultStatus], fields, absent, attempts });
}

function errorProblem(error: Error, expect: HttpExpectation): string | undefined {
  const { outcome, class: name, code, isSigned, reason, httpStatus, message, attempts } = expect;
  const found = {
    outcome: "error",
    name: error.name,
    ...(error instanceof ResultError && { code: error.code, isSigned: error.isSigned }),
    ...(error instanceof SignatureVerificationError && { reason: error.reason }),
    ...(error instanceof HttpStatusError && { httpStatus: error.status }),
    message: message === undefined ? undefined : error.message,
    attempts: error instanceof GatewayError ? (error.attempts ?? 0) : -1,
  };
  return difference(found, { outcome, name, code, isSigned, reason, httpStatus, message, attempts });
}

function bytes(base64: string): Uint8Array {
  return fromBase64(base64) ?? new Uint8Array();
}
