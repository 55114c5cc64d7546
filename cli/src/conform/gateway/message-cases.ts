import { demand, must, should, type Case, type Group } from "../case.ts";
import {
  call,
  codeOfUnknownPayment,
  demandFailure,
  inquiry,
  pathOf,
  read,
  send,
  shown,
  unknownPaymentId,
  type Fields,
  type GatewayWorld,
} from "./gateway-world.ts";

const asked = { paymentId: unknownPaymentId };
const illegal =
  "Answer F PARAM_ILLEGAL with a signature: the caller is authenticated and must fix its request.";

/** A body that every operation must reject. */
function badBody(
  id: string,
  grade: "must" | "should",
  what: string,
  body: string | Uint8Array,
): Case<GatewayWorld> {
  const make = grade === "must" ? must : should;
  return make(`body-${id}`, `a body that is ${what} is rejected`, illegal, async (world: GatewayWorld) => {
    const unknown = await codeOfUnknownPayment(world);
    const answer = await call(world, inquiry, body);
    demandFailure(answer);
    demand(answer.resultCode !== unknown, `It was accepted, and answered ${shown(answer)}.`);
  });
}

export const messages: Group<GatewayWorld> = {
  name: "Messages",
  cases: [
    must(
      "result",
      "every response has a result with three texts: resultStatus, resultCode, resultMessage",
      "Return all three in every response, also in rejections.",
      async (world) => {
        for (const body of [asked, {}, "{"]) {
          const { json } = await call(world, inquiry, body);
          const result = (json["result"] ?? {}) as Fields;
          for (const field of ["resultStatus", "resultCode", "resultMessage"])
            demand(typeof result[field] === "string", `${field} is ${typeof result[field]}.`);
        }
      },
    ),
    should(
      "http-200",
      "every outcome of an operation has HTTP status 200, also a rejection",
      "The result contains the outcome. Client libraries treat other HTTP statuses as connection errors, and retry.",
      async (world) => {
        const { status } = await call(world, inquiry, "{");
        demand(status === 200, `A rejection was answered HTTP ${status}.`);
      },
    ),
    must(
      "answers-are-json",
      "responses are JSON in UTF-8",
      "Send content-type: application/json; charset=UTF-8.",
      async (world) => {
        const { headers } = await call(world, inquiry, asked);
        demand(
          /^application\/json\b/i.test(headers["content-type"] ?? ""),
          `content-type is ${headers["content-type"]}.`,
        );
      },
    ),
    should(
      "answers-name-the-client",
      "responses contain the client id",
      "Send client-id: the caller verifies the signature with its own client id, and compares.",
      async (world) => {
        const { headers } = await call(world, inquiry, asked);
        demand(
          headers["client-id"] === world.signer.clientId,
          `client-id is ${headers["client-id"] ?? "missing"}.`,
        );
      },
    ),
    must(
      "unknown-payment",
      "a payment that does not exist is a failure",
      "Answer F ORDER_NOT_EXIST, also for a payment of another merchant.",
      async (world) => {
        demandFailure(await call(world, inquiry, asked));
      },
    ),
    should(
      "unknown-payment-code",
      "its code is ORDER_NOT_EXIST",
      "Merchants decide by this code whether to start a new payment.",
      async (world) => {
        demandFailure(await call(world, inquiry, asked), "ORDER_NOT_EXIST");
      },
    ),
    must("no-payment-named", "an inquiry without a payment id is rejected", illegal, async (world) => {
      const unknown = await codeOfUnknownPayment(world);
      const answer = await call(world, inquiry, {});
      demandFailure(answer);
      demand(answer.resultCode !== unknown, `It was answered ${shown(answer)}.`);
    }),
    must(
      "unknown-operation",
      "an unknown operation is rejected",
      "Answer F NO_INTERFACE_DEF.",
      async (world) => {
        const answer = read(await send(world, "payments/noSuchOperation", "{}"));
        demandFailure(answer, "NO_INTERFACE_DEF");
      },
    ),
    must(
      "other-version",
      "an unknown version of the interface is rejected",
      "The version is a segment of the path, v1: answer F NO_INTERFACE_DEF for others.",
      async (world) => {
        const path = pathOf(world, inquiry).replace("/v1/", "/v999/");
        demandFailure(read(await send(world, inquiry, asked, { path })), "NO_INTERFACE_DEF");
      },
    ),
    must("get", "operations accept only POST", "Answer F METHOD_NOT_SUPPORTED.", async (world) => {
      const answer = read(await send(world, inquiry, "", { method: "GET" }));
      demand(answer.resultStatus !== "S", `A GET was answered ${shown(answer)}.`);
    }),
    should(
      "content-type",
      "a request whose content type is not JSON is rejected",
      "Answer F MEDIA_TYPE_NOT_ACCEPTABLE.",
      async (world) => {
        const answer = read(await send(world, inquiry, asked, { headers: { "content-type": "text/plain" } }));
        demandFailure(answer, "MEDIA_TYPE_NOT_ACCEPTABLE");
      },
    ),
    badBody("broken", "must", "not JSON", '{"paymentId":'),
    badBody("empty", "must", "empty", ""),
    badBody("list", "must", "a list", JSON.stringify([asked])),
    badBody("text", "must", "a text", '"1"'),
    badBody("null", "must", "null", "null"),
    badBody("wrong-type", "must", "one with an object for its paymentId", '{"paymentId":{"id":"1"}}'),
    badBody(
      "not-utf8",
      "should",
      "not UTF-8",
      Buffer.concat([Buffer.from('{"paymentId":"'), Uint8Array.of(0xff, 0xfe), Buffer.from('"}')]),
    ),
    badBody(
      "key-twice",
      "should",
      "an object with one key twice",
      `{"paymentId":"1","paymentId":"${unknownPaymentId}"}`,
    ),
    badBody(
      "deep",
      "should",
      "10,000 levels deep",
      `{"paymentId":"1","a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
    ),
    should(
      "too-long",
      "a body of 300 kB is refused",
      "Reject a body of more than 256 KiB before you read all of it.",
      async (world) => {
        const answer = await send(world, inquiry, { ...asked, note: "x".repeat(300_000) }).catch(
          () => undefined,
        );
        demand(!answer || read(answer).resultStatus !== "S", "It was answered S.");
        demand(
          !answer || read(answer).resultCode !== (await codeOfUnknownPayment(world)),
          "It was accepted.",
        );
      },
    ),
    must(
      "unknown-fields",
      "unknown fields are ignored",
      "Ignore them: some client libraries send additional fields.",
      async (world) => {
        const unknown = await codeOfUnknownPayment(world);
        const answer = await call(world, inquiry, { ...asked, fieldOfTomorrow: { deep: [1] } });
        demand(answer.resultCode === unknown, `It was answered ${shown(answer)}.`);
      },
    ),
    should(
      "null-is-absent",
      "null means the same as an absent field",
      "Accept null for an absent field: some libraries write it.",
      async (world) => {
        const unknown = await codeOfUnknownPayment(world);
        const answer = await call(world, inquiry, { ...asked, paymentRequestId: null });
        demand(answer.resultCode === unknown, `It was answered ${shown(answer)}.`);
      },
    ),
    must(
      "repeated-bytes",
      "the identical request may be sent several times",
      "Do not reject a repeated request within the clock tolerance as a replay: operations are idempotent.",
      async (world) => {
        const time = String(Date.now());
        const first = await call(world, inquiry, asked, { signed: { time } });
        const again = await call(world, inquiry, asked, { signed: { time } });
        demand(again.resultCode === first.resultCode, `The second request was answered ${shown(again)}.`);
      },
    ),
  ],
};
