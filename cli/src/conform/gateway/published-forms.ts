import forms from "../../../../clients/conformance/requests.json" with { type: "json" };
import { sign } from "node:crypto";
import { ensure, requiredCase, advisedCase, type Case, type CaseGroup } from "../conformance-case.ts";
import { sendRequest } from "../send-request.ts";
import {
  fetchUnknownPaymentCode,
  requireSandbox,
  parseAnswer,
  describeAnswer,
  findSignatureProblem,
  type GatewayContext,
} from "./gateway-context.ts";

type PublishedForm = (typeof forms.requests)[number];

const toSeconds = (ms: number): string => new Date(ms).toISOString().slice(0, 19);

/**
 * Formats of the time of a request, by their names in requests.json. clients/conformance/README.md explains these
 * forms.
 */
const timeForms: Readonly<Record<string, (nowMs: number) => string>> = {
  milliseconds: (nowMs) => String(nowMs),
  "offset-with-colon": (nowMs) => `${toSeconds(nowMs)}+00:00`,
  "offset-without-colon": (nowMs) => `${toSeconds(nowMs)}+0000`,
  "eight-hours-east-without-colon": (nowMs) => `${toSeconds(nowMs + 8 * 3_600_000)}+0800`,
  "seven-decimals": (nowMs) => new Date(nowMs).toISOString().replace("Z", "1234Z"),
};

/**
 * An inquiry in the form of a published library. A gateway should accept such a form even where it differs from the
 * interface.
 */
function acceptedFormCase(form: PublishedForm): Case<GatewayContext> {
  const isPlain = form.target === "origin" && !form.path.includes("//");
  const buildCase = isPlain ? requiredCase : advisedCase;
  return buildCase(
    `library-${form.id}`,
    `an inquiry as the published library for ${form.sdk} writes it is accepted (${form.id})`,
    "Merchants who use this library can not change what it sends.",
    async (context: GatewayContext) => {
      requireSandbox(context);
      const unknownPaymentCode = await fetchUnknownPaymentCode(context);
      const answer = await sendForm(context, form);
      const problem = findSignatureProblem(context, answer, { path: form.path });
      ensure(problem === undefined, problem ?? "");
      const parsedAnswer = parseAnswer(answer);
      ensure(
        parsedAnswer.resultStatus === "S" || parsedAnswer.resultCode === unknownPaymentCode,
        `It was answered ${describeAnswer(parsedAnswer)}.`,
      );
    },
  );
}

async function sendForm(
  { url, signer }: GatewayContext,
  form: PublishedForm,
): Promise<Awaited<ReturnType<typeof sendRequest>>> {
  const time = timeForms[form.time]?.(Date.now()) ?? "";
  const text = `POST ${form.path}\n${signer.clientId}.${time}.${form.body}`;
  const encoded = encodeURIComponent(sign("sha256", Buffer.from(text), signer.privateKey).toString("base64"));
  const values: Readonly<Record<string, string>> = {
    time,
    clientId: signer.clientId,
    signature: form.hex === "upper" ? encoded : encoded.replaceAll(/%../g, (each) => each.toLowerCase()),
  };
  const fill = (value: string): string =>
    value
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "")
      .replace(/keyVersion=\d+/, `keyVersion=${signer.keyVersion}`);
  // The filter removes three headers, because `sendRequest` sets them itself.
  const headers = form.headers
    .map(([name = "", value = ""]) => [name, fill(value)] as const)
    .filter(([name]) => !["host", "content-length", "connection"].includes(name.toLowerCase()));
  const path = form.target === "absolute" ? `https://${url.host}${form.path}` : form.path;
  return sendRequest(url, { path, headers, body: Buffer.from(form.body, "utf8") });
}

export const publishedFormCases: CaseGroup<GatewayContext> = {
  name: "Published libraries",
  cases: forms.requests.map(acceptedFormCase),
};
