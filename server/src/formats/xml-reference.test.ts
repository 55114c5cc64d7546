import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { parseXml, type Element } from "./xml.ts";

/**
 * The result of a maintained parser (saxes), in the form of `parseXml`; undefined if it rejects the document, or if the
 * document has a document type.
 */
function parseWithSaxes(text: string): Element | undefined {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const top = { name: "", attributes: {}, children: [] as Element[], text: "" };
  const open = [top];
  let isRejected = false;
  const reject = (): void => void (isRejected = true);
  const add = (textContent: string): void => void ((open.at(-1) ?? top).text += textContent);
  parser.on("error", reject);
  parser.on("doctype", reject);
  parser.on("text", add);
  parser.on("cdata", add);
  parser.on("opentag", (tag) => {
    open.push({ name: localName(tag.name), attributes: { ...tag.attributes }, children: [], text: "" });
  });
  parser.on("closetag", () => {
    const closed = open.pop() as typeof top;
    open.at(-1)?.children.push({ ...closed, text: closed.text.trim() });
  });
  parser.write(text);
  if (!isRejected) parser.close();
  return isRejected ? undefined : top.children[0];
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

function parseWithOurs(text: string): Element | undefined {
  try {
    return parseXml(text);
  } catch (error) {
    assert.equal((error as Error).name, "FileProblem");
    return undefined;
  }
}

/**
 * The seed of the generated documents is fixed, so that CI always tests the same ones. Other seeds can find new
 * differences.
 */
const seed = 20_261_118;
const toPlain = (element: Element | undefined): unknown => JSON.parse(JSON.stringify(element ?? "rejected"));

function assertSame(text: string): void {
  assert.deepEqual(
    toPlain(parseWithOurs(text)),
    toPlain(parseWithSaxes(text)),
    JSON.stringify(text.slice(0, 300)),
  );
}

const name = fc.constantFrom(
  "a",
  "b",
  "n:a",
  "Ntry",
  "_x",
  "a-b.c",
  "xmlns",
  "xmlns:n",
  "__proto__",
  "constructor",
);
const textContent = fc.constantFrom(
  ..."text|é 咖啡 😀|&lt;|&gt;|&amp;|&quot;|&apos;|&#65;|&#x1F600;|&#x000000041;| \t|\n|\r\n|\r|>|'|\"|\u00A0".split(
    "|",
  ),
);
const attributes = fc
  .uniqueArray(fc.tuple(name, fc.array(textContent, { maxLength: 3 }), fc.constantFrom('"', "'")), {
    selector: ([of]) => of,
    maxLength: 4,
  })
  .map((all) =>
    all
      .map(([of, value, quote]) => ` ${of} = ${quote}${value.join("").replaceAll(quote, "")}${quote}`)
      .join(""),
  );
const { node } = fc.letrec<{ node: string }>((tie) => ({
  node: fc
    .tuple(
      name,
      attributes,
      fc.array(
        fc.oneof(
          { maxDepth: 5 },
          textContent,
          fc.constantFrom("<!-- c -->", "<![CDATA[<a>&b; ]]]>", "<?php x ?>", "<!---->"),
          tie("node"),
        ),
        { maxLength: 5 },
      ),
    )
    .map(([of, its, inner]) =>
      inner.length === 0 ? `<${of}${its}/>` : `<${of}${its} >${inner.join("")}</${of}\n>`,
    ),
}));
const documents = fc
  .tuple(
    fc.constantFrom(
      "",
      "\uFEFF",
      '<?xml version="1.0"?>',
      "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n",
    ),
    node,
    fc.constantFrom("", "\n", "<!-- end -->", "<?x y?>"),
  )
  .map((parts) => parts.join(""));

/** Pieces of text that make a document invalid, or change its meaning. */
const hostileTexts =
  "<|>|&|;|/|\"|'|=|--|-->|<!--|]]>|<![CDATA[|<?xml version='1.0'?>|<?|?>|<?XML?>|<!DOCTYPE a>|<!DOCTYPE a [<!ENTITY b 'c'>]>|&b;|&constructor;|&#0;|&#xD800;|&#xFFFF;|&#x110000;|&#99999999999999999999;|&lt|&#;|&#x;|&#X41;|\u0000|\u0001|\uFFFE|\uFFFF|\uD800|\uDC00|\u0085|\u2028|\uFEFF|</a>|<a>|<1/>|<a b=1/>|<a b='1'c='2'/>|<a b='1' b='2'/>|<a b='<'/>|<a/ >|< a/>|</ a>| ".split(
    "|",
  );

test("random documents have the same tree as with saxes", () => {
  fc.assert(
    fc.property(documents, (text) => {
      assert.notEqual(parseWithSaxes(text), undefined, "the generator makes XML");
      assertSame(text);
    }),
    { numRuns: 500, seed },
  );
});

test("damaged documents are parsed equally, or both parsers reject them", () => {
  const damage = fc.tuple(
    fc.nat(),
    fc.nat(3),
    fc.oneof(fc.constantFrom("", "x", " ", "&amp;", "<b/>", "<!-- x -->"), fc.constantFrom(...hostileTexts)),
  );
  let [read, rejected] = [0, 0];
  fc.assert(
    fc.property(documents, fc.array(damage, { minLength: 1, maxLength: 3 }), (text, all) => {
      let damaged = text;
      for (const [at, removed, inserted] of all) {
        const offset = at % (damaged.length + 1);
        damaged = damaged.slice(0, offset) + inserted + damaged.slice(offset + removed);
      }
      if (!isWithinLimits(damaged)) return;
      assertSame(damaged);
      if (parseWithSaxes(damaged)) read += 1;
      else rejected += 1;
    }),
    { numRuns: 2_000, seed },
  );
  assert.ok(read > 50 && rejected > 50, `${read} read, ${rejected} rejected`);
});

/** Whether a text has nothing that `parseXml` rejects on purpose and saxes accepts; each such case has a test below. */
function isWithinLimits(text: string): boolean {
  const names = text.matchAll(/<\/?([^ \t\r\n<>/="'!?]+)|[ \t\r\n"']([^ \t\r\n<>/="'?]+)[ \t\r\n]*=/g);
  return (
    // Half of a surrogate pair, which UTF-8 cannot encode: saxes accepts it in comments and instructions.
    !/\p{Surrogate}/u.test(text) &&
    !/<\?xml[^?]*version\s*=\s*["'](?!1\.0["'])/.test(text) &&
    [...text.matchAll(/<\?([^ \t\r\n?]*)/g)].every(([, target = ""]) => /^[A-Za-z_]?[\w.-]*$/.test(target)) &&
    [...names].every(([, tag, of]) => /^[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?$/.test(tag ?? of ?? ""))
  );
}

for (const text of [
  '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>',
  '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
  "<!doctype a><a/>",
  "<a>&b;</a>",
  "<a>".repeat(1_000),
  `<a ${"x".repeat(100_000)}="1"/>`,
  `<a b="${"&amp;".repeat(100_000)}"/>`,
  `<a>${"<![CDATA[x]]>".repeat(10_000)}</a>`,
  new TextDecoder().decode(Uint8Array.of(0x3c, 0x61, 0x3e, 0xc3, 0x28, 0x3c, 0x2f, 0x61, 0x3e)),
  "<a/><!-- a -- b -->",
  "<a/><!-- a --->",
  " <?xml version='1.0'?><a/>",
  "<a/><![CDATA[]]>",
  "<a/>&#32;",
  "<a>]]></a>",
  "<a><![CDATA[a]]>]]&gt;</a>",
  ...hostileTexts,
  ...hostileTexts.map((each) => `<a>${each}</a>`),
  ...hostileTexts.map((each) => `${each}<a/>`),
  ...hostileTexts.map((each) => `<a/>${each}`),
])
  test(`saxes and readXml agree on ${JSON.stringify(text.slice(0, 60))}`, () => assertSame(text));

/** Decision 0113 lists these. */
const intendedRejections = {
  "elements nested deeper than 64": "<a>".repeat(65) + "</a>".repeat(65),
  "names that are not ASCII": "<é/>",
  "names with two colons": "<a:b:c/>",
  "a name that begins with a colon": "<:a/>",
  "XML 1.1": "<?xml version='1.1'?><a/>",
};
for (const [description, text] of Object.entries(intendedRejections))
  test(`readXml rejects ${description}, and saxes does not`, () => {
    assert.equal(parseWithOurs(text), undefined);
    assert.notEqual(parseWithSaxes(text), undefined);
  });

test("prefixes are not resolved: one that is not declared is accepted", () => {
  assert.equal(parseXml("<n:a m:b='1' o:b='2'/>").name, "a");
});
