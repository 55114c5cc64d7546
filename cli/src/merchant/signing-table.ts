import type { Commands } from "../../../server/src/operators/framework/command.ts";
import { commonOptions, gatewayHelp } from "./common-options.ts";

const { folder } = commonOptions;

/** Options of all commands that read a message from files. */
const messageOptions = {
  headers: {
    value: "FILE",
    summary: "its headers, one per line; - is standard input; the body may follow a blank line",
  },
  path: {
    value: "PATH",
    summary: "the requested path, if the first line of the headers does not contain it",
  },
  body: { value: "TEXT", summary: "the body, or @FILE for the bytes of a file" },
  method: { value: "POST", summary: "the method" },
} as const;

/** Commands about signatures. */
export const signingCommands: Commands = {
  sign: {
    positionals: ["PATH"],
    summary: "show the signed text byte for byte, and the headers",
    description:
      "Missing options are taken from the gateway of this folder. The path may be an operation, such as payments/pay.",
    options: {
      body: { value: "TEXT", summary: "the body, or @FILE for the bytes of a file (default {})" },
      method: { value: "POST", summary: "the method" },
      key: { value: "FILE", summary: "your private key, PEM or base64" },
      "key-version": { value: "N", summary: "its version" },
      "client-id": { value: "ID", summary: "your client id" },
      time: { value: "TIME", summary: "time of the request (default: now)" },
      folder,
      json: { summary: "print signed text, its SHA-256 and headers as one line of JSON" },
    },
    examples: [
      `tollgate sign payments/inquiryPayment --body '{"paymentId":"1"}'`,
      "tollgate sign payments/pay --body @pay.json --key private.pem --client-id SANDBOX_5Y0000000000000A",
    ],
    run: async (args) => (await import("./sign.ts")).sign(args),
  },
  verify: {
    summary: "verify the signature of a response or webhook, and explain errors",
    description:
      "A response is signed for the path of its request. If the file contains a private key, its public key is used.\n" +
      "The exit code is 0 only if the signature is valid.",
    options: {
      ...messageOptions,
      key: {
        value: "FILE",
        summary: "the gateway's public key (default: that of the gateway of this folder)",
      },
      folder,
      json: { summary: "print the finding as one line of JSON" },
    },
    examples: [
      "tollgate verify --headers notification.txt --path /notify --body @body.json",
      "tollgate verify --headers answer.txt --path /ams/sandbox/api/v1/payments/pay --key gateway.pem",
    ],
    run: async (args) => (await import("./verify.ts")).verify(args),
  },
  doctor: {
    summary: "diagnose rejected signatures, of a request or by calling the gateway",
    description:
      `${gatewayHelp}\n` +
      "Without --headers it checks keys, address, clock and signatures in both directions, with one request that changes\n" +
      "nothing. With --headers it finds the signature mistake in a rejected request. --other-keys are keys that may have been\n" +
      "confused with the correct one, such as those of the other environment.",
    options: {
      ...messageOptions,
      key: { value: "FILE", summary: "your signing key, private or public" },
      "other-keys": { value: "FILE,FILE", summary: "other keys of yours, private or public" },
      folder,
      json: { summary: "print all checks as one line of JSON" },
    },
    examples: [
      "tollgate doctor",
      "tollgate doctor --other-keys live-private.pem,live-gateway.pem",
      "tollgate doctor --headers request.txt --key private.pem --other-keys live-private.pem",
    ],
    run: async (args) => (await import("./doctor.ts")).doctor(args),
  },
};
