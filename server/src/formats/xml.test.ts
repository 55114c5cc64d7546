import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FileProblem } from "../core/file-problem.ts";
import { findElement, findElements, escapeXml, parseXml } from "./xml.ts";

const statement = `<?xml version="1.0" encoding="UTF-8"?>
<!-- from a bank -->
<b:Document xmlns:b="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">
  <b:Ntry><b:Amt Ccy='EUR'>12.50</b:Amt><b:Empty/></b:Ntry>
  <b:Ntry><b:Amt Ccy="JPY">1250</b:Amt><b:Note>A &amp; B &#x20AC; <![CDATA[<c>]]></b:Note></b:Ntry>
</b:Document>`;

test("elements, attributes and text are parsed, and prefixes are ignored", () => {
  const root = parseXml(statement);
  assert.equal(root.name, "Document");
  assert.deepEqual(
    findElements(root, "Ntry", "Amt").map(({ attributes, text }) => [attributes["Ccy"], text]),
    [
      ["EUR", "12.50"],
      ["JPY", "1250"],
    ],
  );
  assert.equal(findElement(root, "Ntry", "Empty")?.text, "");
  assert.equal(findElements(root, "Ntry", "Note")[0]?.text, "A & B € <c>");
  assert.equal(findElement(root, "Ntry", "Amt", "None"), undefined);
});

test("a byte order mark before the document is not text", () =>
  assert.equal(parseXml("\uFEFF<a/>").name, "a"));

const rejectedTexts: readonly (readonly [text: string, problem: string])[] = [
  ["", "Line 1: It ends too early."],
  ["<a>\n<b>", "Line 2: It ends too early."],
  ["<a>\n</b>", "Line 2: </b> ends <a>."],
  ["</a>", "Line 1: </a> ends nothing."],
  ["<a/><b/>", "Line 1: There is a second element at the top."],
  ["<a/>b", "Line 1: There is text outside of the element."],
  ["<a>&b;</a>", "Line 1: &b; is no entity of XML."],
  ["<a>&constructor;</a>", "Line 1: &constructor; is no entity of XML."],
  ["<a>\n\u0000</a>", "Line 2: It has a control character that XML does not allow."],
  ["<a>&#0;</a>", "Line 1: &#0; is no entity of XML."],
  ["<a>a & b</a>", "Line 1: & is no entity of XML."],
  ['<a b="1" b="2"/>', "Line 1: Duplicate attribute."],
  ['<!DOCTYPE a [<!ENTITY b "c">]><a/>', "Line 1: A document type is not allowed."],
  ["<a b=c/>", "Line 1: This is not XML."],
  ["<a>".repeat(65), "Line 1: Elements are nested deeper than 64."],
];

for (const [text, message] of rejectedTexts)
  test(`${JSON.stringify(text.slice(0, 40))} is refused`, () => {
    assert.throws(() => parseXml(text), { name: "FileProblem", message });
  });

test("escaped text is parsed back unchanged, except characters that XML cannot contain", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const { text: read, attributes } = parseXml(`<a b="${escapeXml(text)}">${escapeXml(text)}</a>`);
      const sayable = Array.from(text)
        .filter((character) => {
          const code = character.codePointAt(0) ?? 0;
          if (code < 32) return [9, 10, 13].includes(code);
          return (code < 0xd8_00 || code > 0xdf_ff) && code !== 0xff_fe && code !== 0xff_ff;
        })
        .join("");
      assert.deepEqual([read, attributes["b"]], [sayable.trim(), sayable]);
    }),
  );
});

test("any text is either parsed or rejected", () => {
  const part = fc.constantFrom(
    "<a>",
    "</a>",
    "<b c='d'/>",
    "&lt;",
    "&",
    "text",
    "<!--",
    "-->",
    "]]>",
    "<![CDATA[",
    "<?x?>",
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      try {
        parseXml(parts.join(""));
      } catch (error) {
        assert.ok(error instanceof FileProblem);
      }
    }),
  );
});
