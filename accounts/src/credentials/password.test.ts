import assert from "node:assert/strict";
import { test } from "node:test";
import { passwordsOfAllowedLength, readList } from "../../build/list-common-passwords.ts";
import { encodeDigests, isCommonPassword } from "./common-password.ts";
import { digests } from "./generated/common-passwords.ts";
import { verifyPasswordHash, hashPassword, passwordProblem } from "./password.ts";

test("a hash of the reference implementation of argon2id is verified", async () => {
  const phc = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  assert.equal(await verifyPasswordHash("password", phc), true);
  assert.equal(await verifyPasswordHash("passworD", phc), false);
});

test("a password matches only its own hash, and each hash has its own salt", async () => {
  const [first, second] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
  assert.notEqual(first, second);
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await verifyPasswordHash("correct horse", second), true);
  assert.equal(await verifyPasswordHash("correct horse ", second), false);
});

test("a password in two Unicode forms is the same password", async () => {
  assert.equal(await verifyPasswordHash("cafe\u0301 au lait", await hashPassword("caf\u00e9 au lait")), true);
});

test("a hash with an unknown format is a fault, not a wrong password", async () => {
  await assert.rejects(verifyPasswordHash("password", "$2b$10$abcdefghijklmnopqrstuv"), /unknown format/);
});

const owner = {
  email: "caroline@starmaps.example",
  name: "Caroline Herschel",
  organisation: "Comet Hunters",
};
const problem = async (password: string): Promise<string> => (await passwordProblem(password, owner)) ?? "";

test("a weak password is rejected with a reason", async () => {
  assert.match(await problem("short"), /at least 12/);
  assert.match(await problem("\uFDFA"), /at least 12/, "one character that NFKC makes eighteen");
  assert.match(await problem("aaaabbbbaaaabbbb"), /different/);
  assert.match(await problem("xx-Caroline-2026"), /your address/);
  assert.match(await problem("x".repeat(257)), /at most/);
  for (const password of ["correct horse battery", "Xk7-wellington-bicycle", "a longer horse than before"])
    assert.equal(await problem(password), "", password);
});

test("common passwords with sufficient length are rejected, in any case and width", async () => {
  const common = passwordsOfAllowedLength(await readList());
  assert.ok(common.length >= 3_000, `${common.length}`);
  const accepted = common.filter((password) => !isCommonPassword(password));
  assert.deepEqual(accepted, []);
  for (const password of [
    "password1234",
    "Password1234",
    "\uFF50\uFF41ssword1234",
    "1qaz2wsx3edc",
    "qwertyqwerty",
  ])
    assert.match(await problem(password), /common/, password);
});

test("the stored digests are equal to those of the list", async () => {
  assert.equal(digests, encodeDigests(passwordsOfAllowedLength(await readList())));
});

test("patterns, and words of the product, the person and the organisation, are rejected", async () => {
  const weak = [
    "abcdefghijkl",
    "Password2026!",
    "p@ssw0rd-2026",
    "qwertyuiop[]12",
    "tollgate2026!",
    "T0llgate-2026",
    "herschel1781",
    "starmaps2026",
    "comethunters1",
  ];
  for (const password of weak) assert.match(await problem(password), /easy to guess|common/, password);
});

test("a long password is evaluated without blocking the process", async () => {
  await problem("loads the dictionaries first");
  const beganAtMs = process.cpuUsage().user;
  await problem("aB3$x".repeat(51));
  assert.ok(process.cpuUsage().user - beganAtMs < 250_000);
});
