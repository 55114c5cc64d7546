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
  "Verify SHA-256 with RSA (PKCS#1 v1.5) over `POST <path and query>`, a line feed, `<client-id>.<request-time>.<body>`, over the received bytes, before you parse them.";
const freshOnly =
  "Reject a Request-Time that differs by more than ten minutes from your clock, in either direction.";

/** A request that the gateway must reject because it is not authenticated. The response may therefore be unsigned. */
function refused(
  id: string,
  what: string,
  fix: string,
  expected: readonly string[],
  forged: (world: GatewayWorld) => Calling,
): GatewayCase {
  return must(`refuses-${id}`, `a request ${what} is refused`, fix, async (world) => {
    const unknown = await codeOfUnknownPayment(world);
    const answer = read(await send(world, inquiry, asked, forged(world)));
    demand(answer.resultStatus !== "S", `It was answered ${shown(answer)}.`);
    demand(
      answer.resultCode !== unknown,
      `It was accepted, and answered ${shown(answer)} like a valid request.`,
    );
    demand(answer.resultStatus !== "", `It was answered without a result: ${shown(answer)}`);
    world.refusals.push({ id, code: answer.resultCode, expected });
  });
}

/** Signs with the correct key, but with another hash or padding than the interface specifies. */
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

/** A valid request in another form, which must be accepted. */
function taken(id: string, what: string, fix: string, how: () => Calling): GatewayCase {
  return must(`takes-${id}`, `a request ${what} is taken`, fix, async (world) => {
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

/** The forms of the `Request-Time` header that clients use, each with its description. */
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
      ({ signer, otherKey }) => ({ signer: { ...signer, privateKey: otherKey } }),
    ),
    refused("other-body", "whose body differs from the signed body", verify, ["INVALID_SIGNATURE"], () => ({
      signed: { body: `${asked} ` },
    })),
    refused("other-path", "signed for another operation", verify, ["INVALID_SIGNATURE"], (world) => ({
      signed: { path: pathOf(world, "payments/cancel") },
    })),
    refused("other-time", "whose time differs from the signed time", verify, ["INVALID_SIGNATURE"], () => ({
      headers: { "request-time": toWireTime(Date.now() - 1_000) },
    })),
    refused(
      "other-client",
      "with an unknown client id",
      "Reject it with UNKNOWN_CLIENT.",
      ["UNKNOWN_CLIENT"],
      () => ({ signed: { clientId: "NOBODY0000000000" } }),
    ),
    refused(
      "other-version",
      "with a key version that the client does not have",
      "Reject it with KEY_NOT_FOUND.",
      ["KEY_NOT_FOUND"],
      ({ signer }) => ({ signer: { ...signer, keyVersion: 9_999 } }),
    ),
    refused(
      "other-algorithm",
      "with another algorithm",
      "The algorithm is RSA256; reject any other.",
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
      "whose time is not a time",
      "Request-Time is milliseconds since 1970, or ISO 8601 with an offset.",
      ["PARAM_ILLEGAL"],
      () => ({ signed: { time: "now" } }),
    ),
    should(
      "refusals-named",
      "rejections before authentication have the result codes of the interface",
      "Callers decide by the code what to fix: see docs/reference/request-validation.md.",
      async ({ refusals }) => {
        const others = refusals.filter(({ code, expected }) => !expected.includes(code));
        demand(
          others.length === 0,
          others
            .map(({ id, code, expected }) => `${id}: ${code}, instead of ${expected.join(" or ")}`)
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
      "a signature without percent-encoding is accepted",
      "Read base64 with and without percent-encoding: some libraries do not encode it.",
      resigned((header) => decodeURIComponent(header)),
    ),
    should(
      "takes-any-order",
      "the parameters of a signature may come in any order",
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
      "a response is signed over the request's path, with its own response-time",
      "Sign `POST <path of the request>`, a line feed, `<client-id>.<response-time>.<body>`, with the private key whose public key merchants have.",
      async (world) => {
        await call(world, inquiry, asked);
      },
    ),
    must(
      "answer-header",
      "the signature header of a response is algorithm=RSA256,keyVersion=<integer>,signature=<value>, in this order",
      "Some libraries read it by position: write no spaces, and percent-encode the value.",
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
      "a rejection for an authenticated caller is signed as well",
      "Sign every response to a caller whose signature is valid.",
      async (world) => {
        const answer = await call(world, inquiry, "{");
        demand(answer.resultStatus === "F", `A broken body was answered ${shown(answer)}.`);
      },
    ),
    must(
      "unsigned-is-never-success",
      "an unsigned response is never a success",
      "Otherwise an attacker who changes a response in transit could remove its signature.",
      async (world) => {
        const forged = { signer: { ...world.signer, privateKey: world.otherKey } };
        for (let time = 0; time < 5; time += 1) {
          const answer = await send(world, inquiry, asked, forged);
          const isSigned = signatureProblem(world, answer, { path: pathOf(world, inquiry) }) === undefined;
          demand(isSigned || read(answer).resultStatus !== "S", "It was unsigned, and S.");
        }
      },
    ),
  ],
};
