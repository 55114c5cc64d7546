import { constants, sign } from "node:crypto";
import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { demand, must, should, type Case, type Group } from "../case.ts";
import {
  call,
  codeOfUnknownPayment,
  inquiry,
  pathOf,
  read,
  send,
  shown,
  signatureProblem,
  unknownPaymentId,
  type Calling,
  type GatewayWorld,
} from "./gateway-world.ts";

type GatewayCase = Case<GatewayWorld>;

const hourMs = 3_600_000;
const asked = JSON.stringify({ paymentId: unknownPaymentId });
const verify =
  "Verify SHA-256 with RSA (PKCS#1 v1.5) over `POST <path and query>`, a line feed, `<client-id>.<request-time>.<body>`, byte for byte, before anything is parsed.";
const freshOnly = "Refuse a Request-Time that is more than ten minutes from your clock, to either side.";

/** A request that the front door has to refuse. Unsigned answers are allowed here: nobody has proved who it is. */
function refused(
  id: string,
  what: string,
  mend: string,
  expected: readonly string[],
  forged: (world: GatewayWorld) => Calling,
): GatewayCase {
  return must(`refuses-${id}`, `a request ${what} is refused`, mend, async (world) => {
    const unknown = await codeOfUnknownPayment(world);
    const answer = read(await send(world, inquiry, asked, forged(world)));
    demand(answer.resultStatus !== "S", `It was answered ${shown(answer)}.`);
    demand(
      answer.resultCode !== unknown,
      `It was let in, and answered ${shown(answer)} as a request that is right.`,
    );
    demand(answer.resultStatus !== "", `It was answered without a result: ${shown(answer)}`);
    world.refusals.push({ id, code: answer.resultCode, expected });
  });
}

/** Signed with the right key, in another way than the interface names. */
function signedOtherwise(world: GatewayWorld, hash: string, padding: number): Calling {
  const { clientId, privateKey, keyVersion } = world.signer;
  const time = toWireTime(Date.now());
  const text = `POST ${pathOf(world, inquiry)}\n${clientId}.${time}.${asked}`;
  const value = encodeURIComponent(
    sign(hash, Buffer.from(text), { key: privateKey, padding }).toString("base64"),
  );
  const signature = `algorithm=RSA256,keyVersion=${keyVersion},signature=${value}`;
  return { headers: { "request-time": time, signature } };
}

/** A request that is right, and written in another way. */
function taken(id: string, what: string, mend: string, how: () => Calling): GatewayCase {
  return must(`takes-${id}`, `a request ${what} is taken`, mend, async (world) => {
    const unknown = await codeOfUnknownPayment(world);
    const answer = await call(world, inquiry, asked, how());
    demand(answer.resultCode === unknown, `It was answered ${shown(answer)}.`);
  });
}

function resigned(change: (header: string) => string): (world: GatewayWorld) => Promise<void> {
  return async (world) => {
    const unknown = await codeOfUnknownPayment(world);
    const { clientId, privateKey, keyVersion } = world.signer;
    const time = toWireTime(Date.now());
    const text = `POST ${pathOf(world, inquiry)}\n${clientId}.${time}.${asked}`;
    const value = sign("sha256", Buffer.from(text), privateKey).toString("base64");
    const right = `algorithm=RSA256,keyVersion=${keyVersion},signature=${encodeURIComponent(value)}`;
    const answer = read(
      await send(world, inquiry, asked, { headers: { "request-time": time, signature: change(right) } }),
    );
    demand(answer.resultCode === unknown, `It was answered ${shown(answer)}.`);
  };
}

/** The forms of Request-Time that are in use, in words. */
const times: Readonly<Record<string, readonly [what: string, time: () => string]>> = {
  milliseconds: ["as milliseconds since 1970", () => String(Date.now())],
  iso: ["in ISO 8601 with the offset +00:00", () => toWireTime(Date.now())],
  "iso-east": [
    "in ISO 8601 with the offset +08:00",
    () => `${new Date(Date.now() + 8 * hourMs).toISOString().slice(0, 19)}+08:00`,
  ],
};

export const requestSigning: Group<GatewayWorld> = {
  name: "Signatures of requests",
  cases: [
    refused("unsigned", "without a signature", verify, ["PARAM_ILLEGAL", "INVALID_SIGNATURE"], () => ({
      headers: { signature: undefined },
    })),
    refused(
      "other-key",
      "signed with another key",
      verify,
      ["INVALID_SIGNATURE"],
      ({ signer, stranger }) => ({ signer: { ...signer, privateKey: stranger } }),
    ),
    refused("other-body", "whose body is not what was signed", verify, ["INVALID_SIGNATURE"], () => ({
      signed: { body: `${asked} ` },
    })),
    refused("other-path", "signed for another operation", verify, ["INVALID_SIGNATURE"], (world) => ({
      signed: { path: pathOf(world, "payments/cancel") },
    })),
    refused("other-time", "whose time is not what was signed", verify, ["INVALID_SIGNATURE"], () => ({
      headers: { "request-time": toWireTime(Date.now() - 1_000) },
    })),
    refused(
      "other-client",
      "under a client id that nobody has",
      "Refuse it, UNKNOWN_CLIENT.",
      ["UNKNOWN_CLIENT"],
      () => ({ signed: { clientId: "NOBODY0000000000" } }),
    ),
    refused(
      "other-version",
      "under a key version that the client has not",
      "Refuse it, KEY_NOT_FOUND.",
      ["KEY_NOT_FOUND"],
      ({ signer }) => ({ signer: { ...signer, keyVersion: 9_999 } }),
    ),
    refused(
      "other-algorithm",
      "that names another algorithm",
      "The algorithm is RSA256; refuse any other.",
      ["PARAM_ILLEGAL"],
      () => ({ headers: { signature: "algorithm=none,keyVersion=1,signature=none" } }),
    ),
    refused("sha512", "signed with SHA-512", verify, ["INVALID_SIGNATURE"], (world) =>
      signedOtherwise(world, "sha512", constants.RSA_PKCS1_PADDING),
    ),
    refused("pss", "signed with PSS padding", verify, ["INVALID_SIGNATURE"], (world) =>
      signedOtherwise(world, "sha256", constants.RSA_PKCS1_PSS_PADDING),
    ),
    refused("hour-old", "that is an hour old", freshOnly, ["PARAM_ILLEGAL"], () => ({
      signed: { time: String(Date.now() - hourMs) },
    })),
    refused("hour-ahead", "that is an hour ahead", freshOnly, ["PARAM_ILLEGAL"], () => ({
      signed: { time: String(Date.now() + hourMs) },
    })),
    refused(
      "no-time",
      "whose time is no time",
      "Request-Time is milliseconds since 1970, or ISO 8601 with an offset.",
      ["PARAM_ILLEGAL"],
      () => ({ signed: { time: "now" } }),
    ),
    should(
      "refusals-named",
      "refusals of the front door have the codes of the interface",
      "Callers decide by the code what to mend: see the reference of the front door.",
      async ({ refusals }) => {
        const others = refusals.filter(({ code, expected }) => !expected.includes(code));
        demand(
          others.length === 0,
          others
            .map(({ id, code, expected }) => `${id}: ${code}, and not ${expected.join(" or ")}`)
            .join("; "),
        );
      },
    ),
    ...Object.entries(times).map(([id, [what, time]]) =>
      taken(
        id,
        `whose time is written ${what}`,
        "Both forms of Request-Time are in use: milliseconds since 1970, and ISO 8601 with any offset.",
        () => ({ signed: { time: time() } }),
      ),
    ),
    should(
      "takes-plain-base64",
      "a signature that is not percent-encoded is taken",
      "Read base64 with and without percent-encoding: some libraries send it as it is.",
      resigned((header) => decodeURIComponent(header)),
    ),
    should(
      "takes-any-order",
      "the parameters of a signature may stand in any order",
      "Read them by name.",
      resigned((header) => header.split(",").toReversed().join(", ")),
    ),
  ],
};

export const answerSigning: Group<GatewayWorld> = {
  name: "Signatures of answers",
  cases: [
    must(
      "answer-signed",
      "an answer is signed over the request's path, with its own response-time",
      "Sign `POST <path of the request>`, a line feed, `<client-id>.<response-time>.<body>`, with the key whose public half merchants were given.",
      async (world) => {
        await call(world, inquiry, asked);
      },
    ),
    must(
      "answer-header",
      "its header is algorithm=RSA256,keyVersion=<integer>,signature=<value>, in this order",
      "Some libraries read it by position: no blanks, and the value percent-encoded.",
      async (world) => {
        const { signature = "" } = (await call(world, inquiry, asked)).headers;
        demand(
          /^algorithm=RSA256,keyVersion=\d+,signature=[\w%.~-]+$/.test(signature),
          `It is ${signature.slice(0, 60)}…`,
        );
      },
    ),
    must(
      "refusal-signed",
      "a refusal of a known caller is signed as well",
      "Sign every answer to a caller whose signature held.",
      async (world) => {
        const answer = await call(world, inquiry, "{");
        demand(answer.resultStatus === "F", `A broken body was answered ${shown(answer)}.`);
      },
    ),
    must(
      "unsigned-is-never-success",
      "an answer without a signature is never a success",
      "Whoever can change an answer on its way could otherwise take the signature off.",
      async (world) => {
        const forged = { signer: { ...world.signer, privateKey: world.stranger } };
        for (let time = 0; time < 5; time += 1) {
          const answer = await send(world, inquiry, asked, forged);
          const isSigned = signatureProblem(world, answer, { path: pathOf(world, inquiry) }) === undefined;
          demand(isSigned || read(answer).resultStatus !== "S", "It was unsigned, and S.");
        }
      },
    ),
  ],
};
