import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { create, type Font, type GlyphRun } from "fontkit";

/** A font file. `path` is relative to the path to which Node.js resolves `moduleSpecifier`. */
export interface FontFile {
  readonly moduleSpecifier: string;
  readonly path: string;
  /** Unicode scripts for which this font has priority. */
  readonly scripts: readonly string[];
  /**
   * Whether the font is too large for the npm package of the command line, which has 3 MB without fonts. The image and
   * the Debian package contain it.
   */
  readonly isLarge: boolean;
  /** The path of the license file in the font's package. */
  readonly license: string;
}

/**
 * Fonts in order of preference: a character is drawn with the first font that has it. All are under the SIL Open Font
 * License.
 */
export const fontFiles = [
  {
    moduleSpecifier: "@embedpdf/fonts-latin",
    path: "../fonts/NotoSans-Regular.ttf",
    scripts: ["Latin", "Greek", "Cyrillic"],
    isLarge: false,
    license: "LICENSE",
  },
  {
    moduleSpecifier: "@embedpdf/fonts-arabic",
    path: "../fonts/NotoNaskhArabic-Regular.ttf",
    scripts: ["Arabic"],
    isLarge: false,
    license: "LICENSE",
  },
  {
    moduleSpecifier: "@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf",
    path: "",
    scripts: ["Thai"],
    isLarge: false,
    license: "LICENSE_FONT",
  },
  {
    moduleSpecifier: "@embedpdf/fonts-sc",
    path: "../fonts/NotoSansHans-Regular.otf",
    scripts: ["Han", "Hiragana", "Katakana", "Bopomofo"],
    isLarge: true,
    license: "LICENSE",
  },
  {
    moduleSpecifier: "@embedpdf/fonts-kr",
    path: "../fonts/NotoSansKR-Regular.otf",
    scripts: ["Hangul"],
    isLarge: true,
    license: "LICENSE",
  },
] as const satisfies readonly FontFile[];

/** A font that is loaded. The layout needs it to know which characters have a glyph. */
export type LoadedFont = Font;

const loadedFonts = new Map<FontFile, LoadedFont | undefined>();

/**
 * Loads a font when a character first needs it, and caches it: the Han font has 8.4 MB. It returns undefined if the
 * font is not installed.
 */
export function loadFont(file: FontFile): LoadedFont | undefined {
  if (!loadedFonts.has(file)) loadedFonts.set(file, readFont(file));
  return loadedFonts.get(file);
}

function readFont(file: FontFile): LoadedFont | undefined {
  const fontUrl = findFont(file);
  if (!fontUrl) return undefined;
  const font = create(readFileSync(fontUrl)) as Font;
  const layout = font.layout.bind(font);
  const layoutCache = new Map<string, GlyphRun>();
  // pdfkit cannot pass a text direction, but it can pass features. `rtla` and `ltra` are OpenType features for text of
  // one direction.
  font.layout = (text, features) => {
    const direction = (features as readonly string[]).includes("rtla") ? "rtl" : "ltr";
    const preparedText = text.replaceAll(saraAm, "\u0E4D$1\u0E32");
    let run = layoutCache.get(direction + text);
    if (!run) {
      if (layoutCache.size >= cachedLayoutsMax) layoutCache.clear();
      // fontkit stores a glyph with the code points of its first use, which are empty if the glyph was part of another
      // one. So the cache of glyphs is cleared.
      (font as unknown as { _glyphs: object })._glyphs = {};
      run = layout(preparedText, features, undefined, undefined, direction);
      layoutCache.set(direction + text, run);
    }
    for (const glyph of run.glyphs as { codePoints: number[] }[])
      glyph.codePoints = lamAlef.get(glyph.codePoints.join()) ?? glyph.codePoints;
    // Copied, because pdfkit modifies positions.
    const positions = run.positions.map((position) => ({ ...position }));
    return Object.assign(Object.create(run) as GlyphRun, { positions });
  };
  return font;
}

/**
 * The Thai vowel SARA AM consists of a ring and a vowel, and the ring belongs below tone marks. HarfBuzz reorders them,
 * fontkit does not.
 */
const saraAm = /([\u0E31\u0E34-\u0E37\u0E47-\u0E4E]*)\u0E33/g;

/** Number of cached layouts. Text is measured before it is drawn, so each text is laid out several times. */
const cachedLayoutsMax = 500;

/**
 * Arabic ligatures of lam and alef, by their components. A ligature is encoded as its own code point, which NFKC
 * decomposes again: PDF readers reverse right-to-left text by glyph, and some of them (poppler 22) would reverse the
 * components of a ligature.
 */
const lamAlef: ReadonlyMap<string, number[]> = new Map(
  [0xfef5, 0xfef7, 0xfef9, 0xfefb].map((ligature) => [
    Array.from(String.fromCodePoint(ligature).normalize("NFKC"), (character) =>
      character.codePointAt(0),
    ).join(),
    [ligature],
  ]),
);

/**
 * Finds the file of a font. Packages of the server contain fonts in a folder. A repository has fonts in node_modules,
 * where users of npm can install a missing one.
 */
export function findFont({ moduleSpecifier, path }: FontFile): URL | undefined {
  const bundledUrl = new URL(`../../fonts/${basename(path || moduleSpecifier)}`, import.meta.url);
  if (existsSync(bundledUrl)) return bundledUrl;
  try {
    const installedUrl = new URL(path, import.meta.resolve(moduleSpecifier));
    return existsSync(installedUrl) ? installedUrl : undefined;
  } catch {
    return undefined;
  }
}

/** The npm package that contains this font. */
export function packageNameOf({ moduleSpecifier }: FontFile): string {
  return moduleSpecifier.split("/").slice(0, 2).join("/");
}
