import type { Commands } from "../../../server/src/operators/framework/command.ts";
import { calling, whichGateway } from "./calling.ts";

const { folder } = calling;

/** Options of all commands that read a message from files. */
const reading = {
  headers: {
    value: "FILE",
    does: "its headers, one per line; - is standard input; the body may follow a blank line",
  },
  path: { value: "PATH", does: "the requested path, if the first line of the headers does not contain it" },
  body: { value: "TEXT", does: "the body, or @FILE for the bytes of a file" },
  method: { value: "POST", does: "the method" },
} as const;

/** Commands about signatures. */
export const signingCommands: Commands = {
  sign: {
    takes: ["PATH"],
    does: "show the signed text byte for byte, and the headers",
    about:
      "Missing options are taken from the gateway of this folder. The path may be an operation, such as payments/pay.",
    options: {
      body: { value: "TEXT", does: "the body, or @FILE for the bytes of a file (default {})" },
      method: { value: "POST", does: "the method" },
      key: { value: "FILE", does: "your private key, PEM or base64" },
      "key-version": { value: "N", does: "its version" },
      "client-id": { value: "ID", does: "your client id" },
      time: { value: "TIME", does: "time of the request (default: now)" },
      folder,
      json: { does: "print signed text, its SHA-256 and headers as one line of JSON" },
    },
    examples: [
      `tollgate sign payments/inquiryPayment --body '{"paymentId":"1"}'`,
      "tollgate sign payments/pay --body @pay.json --key private.pem --client-id SANDBOX_5Y0000000000000A",
    ],
    run: async (given) => (await import("./sign.ts")).sign(given),
  },
  verify: {
    does: "verify the signature of a response or webhook, and explain errors",
    about:
      "A response is signed for the path of its request. If the file contains a private key, its public key is used.\n" +
      "The exit code is 0 only if the signature is valid.",
    options: {
      ...reading,
      key: {
        value: "FILE",
        does: "the gateway's public key (default: that of the gateway of this folder)",
      },
      folder,
      json: { does: "print the finding as one line of JSON" },
    },
    examples: [
      "tollgate verify --headers notification.txt --path /notify --body @body.json",
      "tollgate verify --headers answer.txt --path /ams/sandbox/api/v1/payments/pay --key gateway.pem",
    ],
    run: async (given) => (await import("./verify.ts")).verify(given),
  },
  doctor: {
    does: "diagnose rejected signatures, of a request or by calling the gateway",
    about:
      `${whichGateway}\n` +
      "Without --headers it checks keys, address, clock and signatures in both directions, with one request that changes\n" +
      "nothing. With --headers it finds the signature mistake in a rejected request. --other-keys are keys that may have been\n" +
      "confused with the correct one, such as those of the other environment.",
    options: {
      ...reading,
      key: { value: "FILE", does: "your signing key, private or public" },
      "other-keys": { value: "FILE,FILE", does: "other keys of yours, private or public" },
      folder,
      json: { does: "print all checks as one line of JSON" },
    },
    examples: [
      "tollgate doctor",
      "tollgate doctor --other-keys live-private.pem,live-gateway.pem",
      "tollgate doctor --headers request.txt --key private.pem --other-keys live-private.pem",
    ],
    run: async (given) => (await import("./doctor.ts")).doctor(given),
  },
};
