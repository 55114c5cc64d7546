import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { atMostAtOnce } from "../../../server/src/core/limits.ts";

/** Argon2id with the parameters that OWASP names: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagBytes = 32;

/** Each hash holds 19 MiB and a thread: a flood of sign-ins waits here, and not in the memory of the machine. */
const inTurn = atMostAtOnce(4);

/** The PHC string format, which carries the parameters, so that they can be raised for passwords to come. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive(password, salt, { ...cost, tagLength: tagBytes });
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

export async function fitsPassword(password: string, phc: string): Promise<boolean> {
  const parts = phcForm.exec(phc)?.groups;
  if (!parts) throw new Error("A password hash is not of the form that we write.");
  const { memory, passes, parallelism, salt = "", tag = "" } = parts;
  const expected = Buffer.from(tag, "base64");
  const found = await derive(password, Buffer.from(salt, "base64"), {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(found, expected);
}

/** Why a password is not taken. Length counts, and not signs or capitals, as NIST SP 800-63B has it. */
export function passwordProblem(password: string, email: string): string | undefined {
  const [name = ""] = email.split("@");
  const plain = password.toLowerCase();
  if (password.length < 12) return "A password has at least 12 characters.";
  if (password.length > 256) return "A password has at most 256 characters.";
  if (new Set(plain).size < 5) return "A password has at least 5 different characters.";
  if (name.length > 3 && plain.includes(name)) return "A password does not contain your address.";
  return undefined;
}

const phcForm =
  /^\$argon2id\$v=19\$m=(?<memory>\d+),t=(?<passes>\d+),p=(?<parallelism>\d+)\$(?<salt>[\w+/]+)\$(?<tag>[\w+/]+)$/;

interface Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly tagLength: number;
}

async function derive(password: string, salt: Uint8Array, parameters: Parameters): Promise<Buffer> {
  // One spelling of a password, whatever keyboard it was typed on.
  const message = Buffer.from(password.normalize("NFKC"), "utf8");
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        argon2("argon2id", { message, nonce: salt, ...parameters }, (error, tag) =>
          error ? reject(error) : resolve(tag),
        );
      }),
  );
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replaceAll("=", "");
}
