import type { Commands } from "../../../server/src/commands/command.ts";
import { calling, whichGateway } from "./calling.ts";

const { folder } = calling;

/** The options of whatever reads a message from files. */
const reading = {
  headers: {
    value: "FILE",
    does: "its headers, one on each line; - is standard input. With a blank line, the body too",
  },
  path: { value: "PATH", does: "the path that was called, if the first line of the headers does not say it" },
  body: { value: "TEXT", does: "the body; @FILE for the bytes of a file" },
  method: { value: "POST", does: "the method" },
} as const;

/** Commands about signatures. */
export const signingCommands: Commands = {
  sign: {
    takes: ["PATH"],
    does: "show what is signed, to the byte, and the headers that come of it",
    about:
      "What is left out is that of the gateway that is known here. The path may be an operation, such as payments/pay.",
    options: {
      body: { value: "TEXT", does: "the body, {} unless said otherwise; @FILE for the bytes of a file" },
      method: { value: "POST", does: "the method" },
      key: { value: "FILE", does: "your private key, PEM or base64" },
      "key-version": { value: "N", does: "its version" },
      "client-id": { value: "ID", does: "your client id" },
      time: { value: "TIME", does: "the request's time, instead of now" },
      folder,
      json: { does: "signed text, its SHA-256 and headers as one line of JSON" },
    },
    examples: [
      `tollgate sign payments/inquiryPayment --body '{"paymentId":"1"}'`,
      "tollgate sign payments/pay --body @pay.json --key private.pem --client-id SANDBOX_5Y0000000000000A",
    ],
    run: async (given) => (await import("./sign.ts")).sign(given),
  },
  verify: {
    does: "whether an answer or a notification is the gateway's, or what is wrong with it",
    about:
      "An answer is signed for the path of its request. A private key in place of the public one is taken as its public half.\n" +
      "The exit code is 0 only if the signature holds.",
    options: {
      ...reading,
      key: {
        value: "FILE",
        does: "the gateway's public key, if it is not that of the gateway that is known here",
      },
      folder,
      json: { does: "the finding as one line of JSON" },
    },
    examples: [
      "tollgate verify --headers notification.txt --path /notify --body @body.json",
      "tollgate verify --headers answer.txt --path /ams/sandbox/api/v1/payments/pay --key gateway.pem",
    ],
    run: async (given) => (await import("./verify.ts")).verify(given),
  },
  doctor: {
    does: "find out why signatures are refused: by a request of yours, or by calling the gateway",
    about:
      `${whichGateway}\n` +
      "Without --headers it looks at keys, address, clock and signatures in both directions, by one call that changes nothing.\n" +
      "With --headers it names the slip in a request that was refused. --other-keys are keys that may have been mixed up with\n" +
      "the right one, such as those of the other environment.",
    options: {
      ...reading,
      key: { value: "FILE", does: "the key that you sign with, either half" },
      "other-keys": { value: "FILE,FILE", does: "other keys of yours, either half" },
      folder,
      json: { does: "what was looked at as one line of JSON" },
    },
    examples: [
      "tollgate doctor",
      "tollgate doctor --other-keys live-private.pem,live-gateway.pem",
      "tollgate doctor --headers request.txt --key private.pem --other-keys live-private.pem",
    ],
    run: async (given) => (await import("./doctor.ts")).doctor(given),
  },
};
