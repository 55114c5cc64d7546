import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import {
  drawnOrder,
  pdfText,
  popplerMissing,
  textLines,
  visualOrder,
} from "../../test/documents/pdf-text.ts";
import { createPdf, type PdfLayout, type PdfLine } from "./create-pdf.ts";

const layout: PdfLayout = { title: "Test", createdAt: new Date(0), size: 11, leading: 16 };
const needsPoppler = { skip: popplerMissing };
const linesOf = (lines: readonly PdfLine[]): string[] => textLines(pdfText(createPdf(lines, layout)));

const scripts: Readonly<Record<string, string>> = {
  Polish: "Zażółć gęślą jaźń: 2 kawy, Łódź",
  Vietnamese: "Cà phê sữa đá và bánh mì, Đà Nẵng",
  Chinese: "订单：两杯咖啡和一块蛋糕，共 35.00 元",
  "traditional Chinese": "兩杯咖啡與一塊蛋糕，臺北",
  Japanese: "コーヒー二つとケーキ、東京",
  Korean: "커피 두 잔과 케이크, 서울",
  Thai: "น้ำเปล่า ก๋วยเตี๋ยวเนื้อตุ๋น ผู้ใหญ่ที่นี่ 2 แก้ว",
  Greek: "Δύο καφέδες, Αθήνα",
  Russian: "Два кофе, Москва",
};

for (const [name, text] of Object.entries(scripts))
  test(`${name} is read from a PDF as it was written`, needsPoppler, () => {
    assert.deepEqual(
      linesOf([text, `Order: ${text} (no. 17)`]),
      textLines(`${text}\nOrder: ${text} (no. 17)`),
    );
  });

test(
  "Arabic with digits of both kinds is drawn in the order of the bidirectional algorithm",
  needsPoppler,
  () => {
    const lines = [
      // Most letters of the page must be left to right, so that Poppler treats the page as such.
      "We do not accept this dispute, for the reasons that follow, of which each has its proof.",
      "Order: قهوة عربية 12 كوب ٣٤٥ بسعر 12.50 دولار",
      "Order: شاي وسكر إلا الحليب لأن الآن",
      "Order: 2 قهوة Łódź 两杯 ๒ แก้ว",
    ];
    assert.deepEqual(linesOf(lines).map(drawnOrder), textLines(lines.join("\n")).map(visualOrder));
  },
);

test("a long paragraph of any script is broken between words, and no character is lost", needsPoppler, () => {
  for (const text of [...Object.values(scripts), "x".repeat(300), "Two coffees. "]) {
    const long = text.repeat(12).trimEnd();
    const lines = linesOf([long]);
    assert.ok(lines.length > 1 || long.length < 90, text);
    const bare = (all: string): string => all.normalize("NFKC").replaceAll(/\s/g, "");
    assert.equal(bare(lines.join("")), bare(long));
    assert.ok(
      lines.every((line) => !/^[,.;。，、]/.test(line)),
      lines.join("\n"),
    );
  }
});

test("lines continue on further pages", needsPoppler, () => {
  const lines = Array.from({ length: 120 }, (_, index) => `Line ${index}`);
  assert.deepEqual(linesOf(lines), lines);
});

test("a row has its cells in columns, and a paragraph keeps its line breaks", needsPoppler, () => {
  assert.deepEqual(linesOf([["day", "", "net"], ["2026-11-01", "1.00", "-0.36"], "one\r\ntwo\nthree"]), [
    "day net",
    "2026-11-01 1.00 -0.36",
    "one",
    "two",
    "three",
  ]);
});

test(
  "characters without a font, and characters that change the text's order, are shown as code points and named",
  needsPoppler,
  () => {
    const text = linesOf(["A 😀 שלום \u202Eevil\u0007 ok"]).join(" ");
    assert.match(
      text,
      /A \[U\+1F600\] \[U\+05E9\]\[U\+05DC\]\[U\+05D5\]\[U\+05DD\] \[U\+202E\]evil\[U\+0007\] ok/,
    );
    assert.match(text, /There is no font here for: emoji, Hebrew, control characters\.$/);
  },
);

test("for a script without an installed font the package of the font is named", needsPoppler, async () => {
  const home = await mkdtemp(join(tmpdir(), "tollgate-fonts-"));
  after(() => rm(home, { recursive: true, force: true }));
  const modules = dirname(dirname(createRequire(import.meta.url).resolve("bidi-js/package.json")));
  await mkdir(join(home, "node_modules/@embedpdf"), { recursive: true });
  for (const name of ["pdfkit", "fontkit", "bidi-js", "@embedpdf/fonts-latin"])
    await symlink(join(modules, name), join(home, "node_modules", name));
  await cp(import.meta.dirname, join(home, "server/src/pdf"), { recursive: true });
  const program = `import { createPdf } from ${JSON.stringify(pathToFileURL(join(home, "server/src/pdf/create-pdf.ts")).href)};
    process.stdout.write(createPdf(["Łódź 两杯 ร้าน"], { title: "", createdAt: new Date(0), size: 11, leading: 16 }));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", program],
    { encoding: "buffer" },
  );
  const text = textLines(pdfText(stdout)).join(" ");
  assert.match(text, /^Łódź \[U\+4E24\]\[U\+676F\] \[U\+0E23\]/);
  assert.match(text, /Han \(install the npm package @embedpdf\/fonts-sc\), Thai \(install the npm package/);
});

test("the same lines give the same bytes", () => {
  const lines = Object.values(scripts);
  assert.ok(createPdf(lines, layout).equals(createPdf(lines, layout)));
});
