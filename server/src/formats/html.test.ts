import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { html } from "./html.ts";

test("any text of a merchant is text on a page, never markup", () => {
  const name = `<img src=x onerror="alert('1')">&`;
  assert.equal(
    html`<p title="${name}">${name}</p>`.markup,
    `<p title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;">` +
      `&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;</p>`,
  );
});

test("any escaped text can be read back unchanged", () => {
  const characters = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" } as const;
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[&<>"'a-z;#\n ]*$/));
  fc.assert(
    fc.property(text, (source) => {
      const { markup } = html`${source}`;
      assert.doesNotMatch(markup, /[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/);
      const read = markup.replaceAll(/&[^;]+;/g, (entity) => characters[entity as keyof typeof characters]);
      assert.equal(read, source);
    }),
  );
});

test("markup is inserted unchanged: once, many times or not at all", () => {
  assert.equal(
    html`<p>${["a", "<"].map((text) => html`<b>${text}</b>`)}${undefined}${7}</p>`.markup,
    "<p><b>a</b><b>&lt;</b>7</p>",
  );
});
