import { generateKeyPairSync } from "node:crypto";
import { repeatUntil } from "../repeat-until.ts";
import type { Fields, Sandbox } from "../sandbox.ts";
import { payRequest } from "../scenario-setup.ts";
import type { Scenarios } from "./scenario.ts";

const operation = "payments/inquiryPayment";
const body = '{"paymentRequestId":"never-sent"}';

/** Codes that any operation returns before it reads the request's contents. */
export const frontDoorScenarios: Scenarios = {
  NO_INTERFACE_DEF: {
    operation,
    how: "call payments/inquirePayment, which does not exist",
    force: ({ raw }) => raw({ operation: "payments/inquirePayment", body }),
  },
  METHOD_NOT_SUPPORTED: {
    operation,
    how: "send it with PUT",
    force: ({ raw }) => raw({ operation, body, method: "PUT" }),
  },
  MEDIA_TYPE_NOT_ACCEPTABLE: {
    operation,
    how: "send it with Content-Type: text/plain",
    force: ({ raw }) => raw({ operation, body, headers: { "content-type": "text/plain" } }),
  },
  PARAM_ILLEGAL: {
    operation,
    how: "omit both paymentId and paymentRequestId",
    force: ({ ask }) => ask(operation, {}),
  },
  UNKNOWN_CLIENT: {
    operation,
    how: "call with an unknown client id",
    force: ({ raw }) => raw({ operation, body, clientId: "SANDBOX_NOBODY00000" }),
  },
  KEY_NOT_FOUND: {
    operation,
    how: "use a key version that you have not registered",
    force: ({ raw }) => raw({ operation, body, keyVersion: 999 }),
  },
  INVALID_SIGNATURE: {
    operation,
    how: "sign with another private key",
    force: ({ raw }) => raw({ operation, body, privateKey: anotherKey() }),
  },
  ACCESS_DENIED: {
    operation: "payments/pay",
    how: "call the live path, /ams/api/v1/…, of the sandbox",
    force: ({ raw, newId }) =>
      raw({
        operation: "payments/pay",
        path: "/ams/api/v1/payments/pay",
        body: JSON.stringify(payRequest(newId("cli"))),
      }),
  },
  REQUEST_TRAFFIC_EXCEED_LIMIT: {
    operation,
    how: "exceed your rate limit, with hundreds of concurrent requests",
    force: flood,
  },
};

function anotherKey(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return privateKey.export({ type: "pkcs8", format: "pem" }) as string;
}

const atOnce = 100;

/** Sends hundreds of concurrent requests, until one is rejected by the rate limit. */
async function flood({ raw }: Sandbox): Promise<Fields> {
  const isTurnedAway = (answer: Fields): boolean =>
    JSON.stringify(answer["result"]).includes("REQUEST_TRAFFIC_EXCEED_LIMIT");
  const answers = await repeatUntil(
    () => Promise.all(Array.from({ length: atOnce }, () => raw({ operation, body, isQuiet: true }))),
    (all) => all.some(isTurnedAway),
  );
  return answers.find(isTurnedAway) ?? answers[0] ?? {};
}
