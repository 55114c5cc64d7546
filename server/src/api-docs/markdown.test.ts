import assert from "node:assert/strict";
import { test } from "node:test";
import { markdownToHtml, parseMarkdown } from "./markdown.ts";

const renderMarkup = (text: string): string =>
  markdownToHtml(parseMarkdown(text), (link) => link)
    .markup.replaceAll(/\s+/g, " ")
    .trim();

const supported: Readonly<Record<string, readonly [markdown: string, markup: string]>> = {
  "a paragraph of two lines": ["one\ntwo", "<p>one two</p>"],
  "code, strong and emphasis in a line": [
    "`a*b*` **so `it` is** *here*, snake_case_word",
    "<p><code>a*b*</code> <strong>so <code>it</code> is</strong> <em>here</em>, snake_case_word</p>",
  ],
  "a link around code": ["[`pay`](/docs/pay)", '<p><a href="/docs/pay"><code>pay</code></a></p>'],
  "characters that are markup elsewhere": ['1 < 2 & "3"', "<p>1 &lt; 2 &amp; &quot;3&quot;</p>"],
  "a list in a list": [
    "- one\n- two\n  - deep\n",
    "<ul> <li>one </li> <li>two <ul> <li>deep </li> </ul> </li> </ul>",
  ],
  "a numbered list with a line that goes on": [
    "1. one\n   more\n2. two",
    "<ol> <li>one more </li> <li>two </li> </ol>",
  ],
  "a quote": ["> mind\n> this", "<blockquote><p>mind this</p> </blockquote>"],
  "code in a language that is not coloured": [
    "```http\nGET / <x>\n```",
    '<figure class="code"><pre tabindex="0"><code>GET / &lt;x&gt;</code></pre></figure>',
  ],
  "a comment, which is for writers": ["<!-- run this -->\ntext", "<p>text</p>"],
};

for (const [name, [markdown, markup]] of Object.entries(supported)) {
  test(`${name} is converted correctly`, () => assert.equal(renderMarkup(markdown), markup));
}

const unknown: readonly string[] = [
  "<b>bold</b>",
  "text with <script>alert(1)</script>",
  "![a picture](x.png)",
  "Title\n=====",
  "---",
  "[name]: https://shop.example",
  "| a | b |\n| --- |\n| 1 |",
  "```sh\nno end",
  "    indented code",
  "##### too deep",
];

for (const markdown of unknown) {
  test(`Markdown that guides do not use is rejected: ${JSON.stringify(markdown)}`, () => {
    assert.throws(() => renderMarkup(markdown), /is not among what guides may use/);
  });
}
