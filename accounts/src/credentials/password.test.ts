import assert from "node:assert/strict";
import { test } from "node:test";
import { fitsPassword, hashPassword, passwordProblem } from "./password.ts";

test("a hash of the reference implementation of argon2id is read", async () => {
  const phc = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  assert.equal(await fitsPassword("password", phc), true);
  assert.equal(await fitsPassword("passworD", phc), false);
});

test("a password fits its own hash alone, and no two hashes are alike", async () => {
  const [first, second] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
  assert.notEqual(first, second);
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await fitsPassword("correct horse", second), true);
  assert.equal(await fitsPassword("correct horse ", second), false);
});

test("one password in two spellings of Unicode is one password", async () => {
  assert.equal(await fitsPassword("cafe\u0301 au lait", await hashPassword("caf\u00e9 au lait")), true);
});

test("a hash of another form is a fault, and not a wrong password", async () => {
  await assert.rejects(fitsPassword("password", "$2b$10$abcdefghijklmnopqrstuv"), /not of the form/);
});

test("what is easy to guess is refused in a sentence", () => {
  const problem = (password: string): string | undefined =>
    passwordProblem(password, "caroline@shop.example");
  assert.match(problem("short") ?? "", /at least 12/);
  assert.match(problem("aaaabbbbaaaabbbb") ?? "", /different/);
  assert.match(problem("xx-Caroline-2026") ?? "", /your address/);
  assert.match(problem("x".repeat(257)) ?? "", /at most/);
  assert.equal(problem("correct horse battery"), undefined);
});
