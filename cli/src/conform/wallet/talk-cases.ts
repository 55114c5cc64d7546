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
  type WalletWorld,
} from "./wallet-world.ts";

type WalletCase = Case<WalletWorld>;

const hourMs = 3_600_000;
const verify =
  "Verify each call with the gateway's public key over `POST <path>`, a line feed, `<client-id>.<request-time>.<body>`, before you read it.";

/** A submit that is not the gateway's: it must not be answered S, and nothing of it may be there afterwards. */
function refused(
  id: string,
  what: string,
  mend: string,
  forged: (world: WalletWorld, body: string) => Calling,
  grade: typeof must = must,
): WalletCase {
  return grade(
    `refuses-${id}`,
    `a call ${what} is refused, and nothing of it is kept`,
    mend,
    async (world) => {
      const fields = newSubmit(world);
      const body = JSON.stringify(fields);
      const { answer } = await send(world, "submit", body, forged(world, body));
      const { resultStatus, resultCode } = resultIn(answer.text);
      demand(resultStatus !== "S", `It was answered S ${String(resultCode)}.`);
      const afterwards = await call(world, "inquire", { reference: fields.reference });
      demand(afterwards.resultCode === "ORDER_NOT_EXIST", "There is an order all the same.");
    },
  );
}

function withOtherAlgorithm(header: string): string {
  return header.replace(/(?<=algorithm=)\w+/, (name) => (name === "RSA256" ? "Ed25519" : "RSA256"));
}

function resultIn(text: string): Fields {
  return (fieldsIn(text)?.["result"] ?? {}) as Fields;
}

export const talking: Group<WalletWorld> = {
  name: "How it talks",
  cases: [
    must(
      "answers-signed",
      "answers are signed over the request's path and their own response-time, as HTTP 200 with a result",
      "Sign `POST <path of the request>`, a line feed, `<partner id>.<response-time>.<body>` with Ed25519, or SHA-256 and RSA (PKCS#1 v1.5), as " +
        "your key is, and send signature: algorithm=Ed25519 or RSA256,keyVersion=1,signature=<base64, percent-encoded>. Without it there is no answer.",
      async (world) => {
        await call(world, "inquire", { reference: newRequestId("conform") });
      },
    ),
    must(
      "refusals-signed",
      "refusals are signed, too: F, and HTTP 200",
      "Answer a refusal as anything else: an unsigned no counts as silence, and is asked again for ever.",
      async (world) => {
        const answer = await call(world, "submit", { reference: newRequestId("conform") });
        demand(
          answer.resultStatus === "F",
          `A submit without an amount was answered ${answer.resultStatus}.`,
        );
      },
    ),
    refused("unsigned", "without a signature", verify, () => ({ headers: { signature: undefined } })),
    refused("other-key", "signed with another key", verify, ({ signer, stranger }) => ({
      signer: { ...signer, privateKey: stranger },
    })),
    refused(
      "other-algorithm",
      "whose header names another algorithm than that of the gateway's key",
      "Go by the key that you were given, and refuse a header that names anything else.",
      ({ signer, url }, body) => {
        const path = `${url.pathname.replace(/\/$/, "")}/wallet/v1/orders/submit`;
        const headers = signedHeaders(signer, { path, body });
        return { headers: { ...headers, signature: withOtherAlgorithm(headers["signature"] ?? "") } };
      },
      should,
    ),
    refused("other-body", "with another amount than was signed", verify, (_, body) => ({
      signed: { body: body.replace("1250", "1") },
    })),
    refused("other-path", "signed for another operation", verify, () => ({
      signed: { path: "/wallet/v1/orders/inquire" },
    })),
    refused(
      "other-partner",
      "under another partner id",
      "Compare client-id with the partner id that you gave the gateway: UNKNOWN_CLIENT.",
      () => ({ signed: { clientId: "SOMEBODY_ELSE" } }),
    ),
    refused(
      "stale",
      "that is an hour old",
      "Refuse request-time that is more than ten minutes from your clock: whoever has seen a call could send it again.",
      () => ({ signed: { time: toWireTime(Date.now() - hourMs) } }),
    ),
    should(
      "unknown-operation",
      "an operation that does not exist is NO_INTERFACE_DEF",
      "Answer F NO_INTERFACE_DEF: the gateway learns from it what you do not offer.",
      async (world) => demandCode(await call(world, "orders/no-such-operation", {}), "NO_INTERFACE_DEF"),
    ),
    should(
      "method",
      "a GET is METHOD_NOT_SUPPORTED",
      "Operations are called with POST only.",
      async (world) =>
        demandCode(await call(world, "inquire", "", { method: "GET" }), "METHOD_NOT_SUPPORTED"),
    ),
    must(
      "broken-json",
      "a body that is not JSON is refused, and does not end it",
      "Answer F PARAM_ILLEGAL.",
      async (world) => demandCode(await call(world, "inquire", '{"reference":'), "PARAM_ILLEGAL"),
    ),
    must(
      "malformed",
      "an amount that is none is refused",
      "Answer F PARAM_ILLEGAL: the value is text in minor units, `^[1-9][0-9]{0,15}$`.",
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
      "fields that it does not know are ignored",
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
      "a body of more than 64 KiB is refused",
      "Answer F PARAM_ILLEGAL, and do not keep what you did not read to its end.",
      async (world) => {
        const fields = newSubmit(world, { description: "x".repeat(70_000) });
        const { answer, path, method } = await send(world, "submit", fields);
        demand(resultIn(answer.text)["resultStatus"] !== "S", "It was answered S.");
        demand(signatureProblem(world, answer, { path, method }) === undefined, "The refusal is not signed.");
      },
    ),
  ],
};
