import { generateKeyPairSync } from "node:crypto";
import { repeatUntil } from "../repeat-until.ts";
import type { Fields, Sandbox } from "../sandbox.ts";
import { buildPayRequest } from "../scenario-setup.ts";
import type { Scenarios } from "./scenario.ts";

const operation = "payments/inquiryPayment";
const body = '{"paymentRequestId":"never-sent"}';

/** Codes that any operation returns before it reads the request's contents. */
export const requestValidationScenarios: Scenarios = {
  NO_INTERFACE_DEF: {
    operation,
    instructions: "call payments/inquirePayment, which does not exist",
    force: ({ raw }) => raw({ operation: "payments/inquirePayment", body }),
  },
  METHOD_NOT_SUPPORTED: {
    operation,
    instructions: "send it with PUT",
    force: ({ raw }) => raw({ operation, body, method: "PUT" }),
  },
  MEDIA_TYPE_NOT_ACCEPTABLE: {
    operation,
    instructions: "send it with Content-Type: text/plain",
    force: ({ raw }) => raw({ operation, body, headers: { "content-type": "text/plain" } }),
  },
  PARAM_ILLEGAL: {
    operation,
    instructions: "omit both paymentId and paymentRequestId",
    force: ({ send }) => send(operation, {}),
  },
  UNKNOWN_CLIENT: {
    operation,
    instructions: "call with an unknown client id",
    force: ({ raw }) => raw({ operation, body, clientId: "SANDBOX_NOBODY00000" }),
  },
  KEY_NOT_FOUND: {
    operation,
    instructions: "use a key version that you have not registered",
    force: ({ raw }) => raw({ operation, body, keyVersion: 999 }),
  },
  INVALID_SIGNATURE: {
    operation,
    instructions: "sign with another private key",
    force: ({ raw }) => raw({ operation, body, privateKey: createUnregisteredKey() }),
  },
  ACCESS_DENIED: {
    operation: "payments/pay",
    instructions: "call the live path, /ams/api/v1/…, of the sandbox",
    force: ({ raw, newId }) =>
      raw({
        operation: "payments/pay",
        path: "/ams/api/v1/payments/pay",
        body: JSON.stringify(buildPayRequest(newId("cli"))),
      }),
  },
  REQUEST_TRAFFIC_EXCEED_LIMIT: {
    operation,
    instructions: "exceed your rate limit, with hundreds of concurrent requests",
    force: flood,
  },
};

function createUnregisteredKey(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return privateKey.export({ type: "pkcs8", format: "pem" }) as string;
}

const concurrentRequests = 100;

/** Sends hundreds of concurrent requests, until one is rejected by the rate limit. */
async function flood({ raw }: Sandbox): Promise<Fields> {
  const isRateLimited = (answer: Fields): boolean =>
    JSON.stringify(answer["result"]).includes("REQUEST_TRAFFIC_EXCEED_LIMIT");
  const answers = await repeatUntil(
    () =>
      Promise.all(Array.from({ length: concurrentRequests }, () => raw({ operation, body, isQuiet: true }))),
    (all) => all.some(isRateLimited),
  );
  return answers.find(isRateLimited) ?? answers[0] ?? {};
}
