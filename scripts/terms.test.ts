import assert from "node:assert/strict";
import { test } from "node:test";
import { commentsIn, countTerms, termTable } from "./terms.ts";

const comments: Readonly<Record<string, readonly [text: string, comments: readonly string[]]>> = {
  "a comment before code and one behind it": ["/** One. */\na(); // Two.", ["/** One. */", "// Two."]],
  "lines that follow each other are one comment": [
    "// One\n  // one.\n\n// Two.",
    ["// One\n  // one.", "// Two."],
  ],
  "an address in a string is none": [`a("http://a", 'it\\'s // b'); // One.`, ["// One."]],
  "an address in a template is none": ["`http://${a} /* b */`; // One.", ["// One."]],
  "a comment inside of a template's braces is one": ["`${ { a } /* One. */ } // no`", ["/* One. */"]],
  "templates in templates": ["`//a ${b(`//c ${d} //e`)} //f`; // One.", ["// One."]],
  "a regular expression is none": ['a = /[/"]\\/*/; return /`/.test(b); // One.', ["// One."]],
  "a division is no regular expression": ["a / b; // One.\nc / d;", ["// One."]],
};

for (const [name, [text, expected]] of Object.entries(comments)) {
  test(`comments are found: ${name}`, () => assert.deepEqual(commentsIn(text), expected));
}

test("whole words count, other forms of them apart, and nothing inside of other words", () => {
  const { byTerm, comments: count } = countTerms([
    "// Retry, a retry; retries.",
    "/* The retryAt. A trace. */",
  ]);
  assert.equal(count, 2);
  assert.deepEqual(byTerm.retry, { exact: 2, inflected: 1 });
  assert.deepEqual(byTerm.race, { exact: 0, inflected: 0 });
});

test("a term of two words counts across the end of a line, and not from one comment to the next", () => {
  const { byTerm } = countTerms([
    "/**\n * Load\n * shedding. It timed\n * out.\n */",
    "// Load",
    "// shedding",
  ]);
  assert.deepEqual(byTerm["load shedding"], { exact: 1, inflected: 0 });
  assert.deepEqual(byTerm.timeout, { exact: 0, inflected: 1 });
});

test("the table sets now beside the base, if there is one, and beside others", () => {
  const [none, one] = [countTerms([]), countTerms(["// A timeout, and what timeouts do."])];
  assert.match(termTable(one, none), /^\| timeout \| 0 \+ 0 \| 1 \+ 1 \| 69 \| 29 \|$/m);
  assert.match(termTable(one), /^\| what \|  \| 1 \|  \|  \|$/m);
  assert.match(termTable(one, none), /^\| comments \| 0 \| 1 \| 2549 \| 2142 \|$/m);
});
