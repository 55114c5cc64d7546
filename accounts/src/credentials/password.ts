import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { newSemaphore } from "../../../server/src/resilience/limits.ts";
import { isCommonPassword } from "./common-password.ts";
import { isGuessable } from "./password-strength.ts";

/** Argon2id with OWASP's parameters: 19 MiB, two passes, parallelism 1. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagBytes = 32;

/** Bulkhead: each hash uses 19 MiB and a thread, so at most four run at once and further sign-ins wait. */
const runLimited = newSemaphore(4);

/**
 * `hashPassword` returns the PHC string format, which contains the parameters, so that new passwords can use stronger
 * ones.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive(password, salt, { ...cost, tagLength: tagBytes });
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

export async function verifyPasswordHash(password: string, phc: string): Promise<boolean> {
  const parts = phcPattern.exec(phc)?.groups;
  if (!parts) throw new Error("The stored password hash has an unknown format.");
  const { memory, passes, parallelism, salt = "", tag = "" } = parts;
  const expected = Buffer.from(tag, "base64");
  const actual = await derive(password, Buffer.from(salt, "base64"), {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

export const passwordLengthMin = 12;
const passwordLengthMax = 256;

/** The owner of a password. Words in these texts are easy to guess. */
export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
  readonly organisation: string;
}

/** Words of the product, which are the same in every installation. */
const productWords = ["tollgate", "payment", "payments", "gateway", "portal", "merchant", "sandbox"];

/**
 * `passwordProblem` returns the reason why a password is rejected. Length and guessability count, not digits or
 * capitals (NIST SP 800-63B, ASVS 6.2.5). It evaluates the normalised form that is hashed.
 */
export async function passwordProblem(password: string, owner: PasswordOwner): Promise<string | undefined> {
  const [mailbox = ""] = owner.email.split("@");
  const normalised = password.normalize("NFKC");
  const lowerCase = normalised.toLowerCase();
  const lengths = [password.length, normalised.length];
  if (Math.min(...lengths) < passwordLengthMin)
    return `The password must have at least ${passwordLengthMin} characters.`;
  if (Math.max(...lengths) > passwordLengthMax)
    return `The password must have at most ${passwordLengthMax} characters.`;
  if (new Set(lowerCase).size < 5) return "The password must have at least 5 different characters.";
  if (mailbox.length > 3 && lowerCase.includes(mailbox)) return "The password must not contain your address.";
  if (isCommonPassword(normalised))
    return "This password is on a list of common passwords. Choose another one.";
  if (await isGuessable(normalised, contextWords(owner)))
    return "This password is easy to guess. Use several unrelated words, or a password manager.";
  return undefined;
}

/** Context-specific words (ASVS 6.1.2, 6.2.11): of the product, the address, the person and the organisation. */
function contextWords({ email, name, organisation }: PasswordOwner): readonly string[] {
  const texts = [email, name, organisation].map((text) => text.normalize("NFKC").toLowerCase());
  const words = texts.flatMap((text) => [
    text.replaceAll(/[^\p{L}\p{N}]/gu, ""),
    ...text.split(/[^\p{L}\p{N}]+/u),
  ]);
  return [...productWords, ...words.filter((word) => word.length > 2)];
}

const phcPattern =
  /^\$argon2id\$v=19\$m=(?<memory>\d+),t=(?<passes>\d+),p=(?<parallelism>\d+)\$(?<salt>[\w+/]+)\$(?<tag>[\w+/]+)$/;

interface Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly tagLength: number;
}

async function derive(password: string, salt: Uint8Array, parameters: Parameters): Promise<Buffer> {
  // Unicode normalisation, so that the password is the same from every keyboard.
  const message = Buffer.from(password.normalize("NFKC"), "utf8");
  return runLimited(
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
