import forms from "../../../../clients/conformance/requests.json" with { type: "json" };
import { sign } from "node:crypto";
import { demand, must, should, type Case, type Group } from "../case.ts";
import { exchange } from "../exchange.ts";
import {
  codeOfUnknownPayment,
  demandSandbox,
  read,
  shown,
  signatureProblem,
  type GatewayWorld,
} from "./gateway-world.ts";

type Form = (typeof forms.requests)[number];

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
function taken(form: Form): Case<GatewayWorld> {
  const isPlain = form.target === "origin" && !form.path.includes("//");
  const make = isPlain ? must : should;
  return make(
    `library-${form.id}`,
    `an inquiry as the published library for ${form.sdk} writes it is accepted (${form.id})`,
    "Merchants who use this library can not change what it sends.",
    async (world: GatewayWorld) => {
      demandSandbox(world);
      const unknown = await codeOfUnknownPayment(world);
      const answer = await sendForm(world, form);
      const problem = signatureProblem(world, answer, { path: form.path });
      demand(problem === undefined, problem ?? "");
      const said = read(answer);
      demand(said.resultStatus === "S" || said.resultCode === unknown, `It was answered ${shown(said)}.`);
    },
  );
}

async function sendForm(
  { url, signer }: GatewayWorld,
  form: Form,
): Promise<Awaited<ReturnType<typeof exchange>>> {
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
  // The filter removes three headers, because `exchange` sets them itself.
  const headers = form.headers
    .map(([name = "", value = ""]) => [name, fill(value)] as const)
    .filter(([name]) => !["host", "content-length", "connection"].includes(name.toLowerCase()));
  const path = form.target === "absolute" ? `https://${url.host}${form.path}` : form.path;
  return exchange(url, { path, headers, body: Buffer.from(form.body, "utf8") });
}

export const publishedForms: Group<GatewayWorld> = {
  name: "Published libraries",
  cases: forms.requests.map(taken),
};
