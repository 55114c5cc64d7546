import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBase32 } from "../../test/test-accounts.ts";
import { toBase32 } from "../base32.ts";
import { otpUri, stepAt, stepOf, totpAt } from "./totp.ts";

const secret = Buffer.from("12345678901234567890");

test("codes are equal to those of RFC 6238, appendix B", () => {
  const vectors = [
    [59, "94287082"],
    [1111111109, "07081804"],
    [1111111111, "14050471"],
    [1234567890, "89005924"],
    [2000000000, "69279037"],
    [20000000000, "65353130"],
  ] as const;
  for (const [seconds, code] of vectors)
    assert.equal(totpAt(secret, stepAt(new Date(seconds * 1000)), 8), code, String(seconds));
});

test("a code is valid in its time step, the previous and the next one", () => {
  const now = new Date(1_234_567_890_000);
  const step = stepAt(now);
  const found = [-2, -1, 0, 1, 2].map((offset) => stepOf(secret, totpAt(secret, step + offset), now));
  assert.deepEqual(found, [undefined, step - 1, step, step + 1, undefined]);
  for (const wrong of ["", "12345", "1234567", "abcdef", `${totpAt(secret, step)} `])
    assert.equal(stepOf(secret, wrong, now), undefined, wrong);
});

test("base32 follows RFC 4648, without padding", () => {
  const vectors = {
    "": "",
    f: "MY",
    fo: "MZXQ",
    foo: "MZXW6",
    foob: "MZXW6YQ",
    fooba: "MZXW6YTB",
    foobar: "MZXW6YTBOI",
  };
  for (const [plain, text] of Object.entries(vectors)) {
    assert.equal(toBase32(Buffer.from(plain)), text);
    assert.equal(fromBase32(text).toString(), plain);
  }
});

test("the URI for an authenticator app contains issuer and account", () => {
  assert.equal(
    otpUri(Buffer.from("foobar"), { issuer: "Tollgate", account: "ada@shop.example" }),
    "otpauth://totp/Tollgate:ada%40shop.example?secret=MZXW6YTBOI&issuer=Tollgate",
  );
});
