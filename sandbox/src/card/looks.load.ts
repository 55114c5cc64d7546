import { test } from "node:test";
import { checkLook } from "../testing/card-looks.ts";

/** The other screens; the narrow phone is looked at with the slow tests. */
const looks = {
  "a narrow phone, dark": { viewport: { width: 320, height: 568 }, colorScheme: "dark" },
  "a phone, light": { viewport: { width: 390, height: 844 }, colorScheme: "light" },
  "a phone, dark": { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  "a phone on its side, light": { viewport: { width: 844, height: 390 }, colorScheme: "light" },
  "a phone on its side, dark": { viewport: { width: 844, height: 390 }, colorScheme: "dark" },
  "a desk, light": { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  "a desk, dark": { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
} as const;

for (const [name, look] of Object.entries(looks))
  test(`on ${name}, in both directions, nobody is shut out and nothing is cut off`, () => checkLook(look));
