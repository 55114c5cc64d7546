import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { demand, must, should, type Case, type Group } from "../case.ts";
import { signedHeaders } from "../signer.ts";
import {
  call,
  demandCode,
  demandSuccess,
  fieldsIn,
  newSubmit,
  orderIn,
  send,
  signatureProblem,
  type Calling,
  type Fields,
  type ProviderWorld,
} from "./provider-world.ts";

type ProviderCase = Case<ProviderWorld>;

const hourMs = 3_600_000;
const verify =
  "Verify each request with the gateway's public key over `POST <path>`, a line feed, `<client-id>.<request-time>.<body>`, before you read it.";

/** A submit that does not come from the gateway: it must not be answered S, and must create no order. */
function refused(
  id: string,
  what: string,
  fix: string,
  forged: (world: ProviderWorld, body: string) => Calling,
  grade: typeof must = must,
): ProviderCase {
  return grade(`refuses-${id}`, `a request ${what} is rejected and stores nothing`, fix, async (world) => {
    const fields = newSubmit(world);
    const body = JSON.stringify(fields);
    const { answer } = await send(world, "submit", body, forged(world, body));
    const { resultStatus, resultCode } = resultIn(answer.text);
    demand(resultStatus !== "S", `It was answered S ${String(resultCode)}.`);
    const afterwards = await call(world, "inquire", { reference: fields.reference });
    demand(afterwards.resultCode === "ORDER_NOT_EXIST", "The order exists nevertheless.");
  });
}

function withOtherAlgorithm(header: string): string {
  return header.replace(/(?<=algorithm=)\w+/, (name) => (name === "RSA256" ? "Ed25519" : "RSA256"));
}

function resultIn(text: string): Fields {
  return (fieldsIn(text)?.["result"] ?? {}) as Fields;
}

export const talking: Group<ProviderWorld> = {
  name: "Messages and signatures",
  cases: [
    must(
      "answers-signed",
      "responses are HTTP 200 with a result, signed over the request's path and their own response-time",
      "Sign `POST <path of the request>`, a line feed, `<partner id>.<response-time>.<body>` with Ed25519, or SHA-256 and RSA (PKCS#1 v1.5), depending " +
        "on your key, and send signature: algorithm=Ed25519 or RSA256,keyVersion=1,signature=<base64, percent-encoded>. The gateway ignores an unsigned response.",
      async (world) => {
        await call(world, "inquire", { reference: newRequestId("conform") });
      },
    ),
    must(
      "refusals-signed",
      "rejections are signed as well: F, and HTTP 200",
      "Sign a rejection like any other response: the gateway treats an unsigned rejection as no response, and keeps polling.",
      async (world) => {
        const answer = await call(world, "submit", { reference: newRequestId("conform") });
        demand(
          answer.resultStatus === "F",
          `A submit without an amount was answered ${answer.resultStatus}.`,
        );
      },
    ),
    refused("unsigned", "without a signature", verify, () => ({ headers: { signature: undefined } })),
    refused("other-key", "signed with another key", verify, ({ signer, otherKey }) => ({
      signer: { ...signer, privateKey: otherKey },
    })),
    refused(
      "other-algorithm",
      "whose header names an algorithm that does not belong to the gateway's key",
      "Use the algorithm of the key that you were given, and reject a header with any other.",
      ({ signer, url }, body) => {
        const path = `${url.pathname.replace(/\/$/, "")}/wallet/v1/orders/submit`;
        const headers = signedHeaders(signer, { path, body });
        return { headers: { ...headers, signature: withOtherAlgorithm(headers["signature"] ?? "") } };
      },
      should,
    ),
    refused("other-body", "with another amount than the signed one", verify, (_, body) => ({
      signed: { body: body.replace("1250", "1") },
    })),
    refused("other-path", "signed for another operation", verify, () => ({
      signed: { path: "/wallet/v1/orders/inquire" },
    })),
    refused(
      "other-partner",
      "with another partner id",
      "Compare client-id with the partner id that you gave to the gateway: UNKNOWN_CLIENT.",
      () => ({ signed: { clientId: "SOMEBODY_ELSE" } }),
    ),
    refused(
      "stale",
      "that is an hour old",
      "Reject a request-time that is more than ten minutes from your clock: otherwise an attacker can replay a recorded request.",
      () => ({ signed: { time: toWireTime(Date.now() - hourMs) } }),
    ),
    should(
      "unknown-operation",
      "an unknown operation is NO_INTERFACE_DEF",
      "Answer F NO_INTERFACE_DEF: the gateway then knows that you do not offer the operation.",
      async (world) => demandCode(await call(world, "orders/no-such-operation", {}), "NO_INTERFACE_DEF"),
    ),
    should("method", "a GET is METHOD_NOT_SUPPORTED", "Operations accept only POST.", async (world) =>
      demandCode(await call(world, "inquire", "", { method: "GET" }), "METHOD_NOT_SUPPORTED"),
    ),
    must(
      "broken-json",
      "a body that is not JSON is rejected, and does not stop the server",
      "Answer F PARAM_ILLEGAL.",
      async (world) => demandCode(await call(world, "inquire", '{"reference":'), "PARAM_ILLEGAL"),
    ),
    must(
      "malformed",
      "an invalid amount is rejected",
      "Answer F PARAM_ILLEGAL: the value is a text in minor units, `^[1-9][0-9]{0,15}$`.",
      async (world) => {
        for (const value of ["12.50", "-1", "0", 1250]) {
          const fields = newSubmit(world, { amount: { currency: world.currency, value } });
          const { resultStatus } = await call(world, "submit", fields);
          demand(resultStatus === "F", `${JSON.stringify(value)} was answered ${resultStatus}.`);
        }
      },
    ),
    must(
      "unknown-fields",
      "unknown fields are ignored",
      "Ignore them: later versions of the protocol add some.",
      async (world) => {
        const fields = newSubmit(world, { fieldOfTomorrow: { deep: [1] } });
        const answer = await call(world, "submit", fields);
        demandSuccess(answer, "submit");
        orderIn(answer, fields.reference);
      },
    ),
    should(
      "long-body",
      "a body of more than 64 KiB is rejected",
      "Answer F PARAM_ILLEGAL, and store nothing from a request that you did not read completely.",
      async (world) => {
        const fields = newSubmit(world, { description: "x".repeat(70_000) });
        const { answer, path, method } = await send(world, "submit", fields);
        demand(resultIn(answer.text)["resultStatus"] !== "S", "It was answered S.");
        demand(
          signatureProblem(world, answer, { path, method }) === undefined,
          "The rejection is not signed.",
        );
      },
    ),
  ],
};
