import bidiFactory, { type Bidi } from "bidi-js";
import { fontFiles, loadFont, packageNameOf, type FontFile, type LoadedFont } from "./fonts.ts";

/** Text of one font and one direction, in logical order. */
export interface TextRun {
  readonly text: string;
  readonly font: LoadedFont;
  readonly isRightToLeft: boolean;
}

// The cast is necessary, because the package's types describe its ES module, but Node.js imports its CommonJS module.
const bidi = (bidiFactory as unknown as () => Bidi)();
const graphemeSegmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const wordSegmenter = new Intl.Segmenter("en", { granularity: "word" });
/**
 * Characters without a glyph that only control layout: joiners, soft hyphens, variation selectors and direction marks.
 */
const invisibleCharacters = /[\u00AD\u061C\u200B-\u200F\u2060]|\p{Variation_Selector}/u;
/** Control characters and direction overrides, with which a text could be displayed in another order. */
const forbiddenCharacters = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;

/**
 * Replaces each character that no font has by its code point, such as `[U+1F600]`. It adds advice for the reader to
 * `missingNotes`, so that no character is lost silently.
 */
export function replaceMissing(text: string, missingNotes: Set<string>): string {
  let replaced = "";
  for (const { segment } of graphemeSegmenter.segment(text.normalize("NFC"))) {
    for (const character of fontOf(segment) ? [segment] : segment) {
      const isPrintable =
        !forbiddenCharacters.test(character) && (fontOf(character) || invisibleCharacters.test(character));
      replaced += isPrintable ? character : `[${codePointOf(character)}]`;
      if (!isPrintable) missingNotes.add(describeMissingCharacter(character));
    }
  }
  return replaced;
}

const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}`;

/** Scripts in use, to name the script of a missing font. */
const knownScripts = (
  "Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Kannada Katakana " +
  "Khmer Lao Latin Arabic Malayalam Mongolian Myanmar Oriya Sinhala Syriac Tamil Telugu Thaana Thai Tibetan"
)
  .split(" ")
  .map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, "u") }));

function describeMissingCharacter(character: string): string {
  if (forbiddenCharacters.test(character)) return "control characters";
  const script = knownScripts.find(({ pattern }) => pattern.test(character))?.name;
  const file = fontFiles.find(({ scripts }) => (scripts as readonly string[]).includes(script ?? ""));
  if (file && !loadFont(file)) return `${script} (install the npm package ${packageNameOf(file)})`;
  return script ?? (/\p{Extended_Pictographic}/u.test(character) ? "emoji" : "symbols");
}

/** The first font that has all visible characters of a grapheme. */
function fontOf(grapheme: string, preferred?: LoadedFont): LoadedFont | undefined {
  const visible = Array.from(grapheme).filter((character) => !invisibleCharacters.test(character));
  const hasAll = (font: LoadedFont | undefined): font is LoadedFont =>
    font !== undefined &&
    visible.every((character) => font.hasGlyphForCodePoint(character.codePointAt(0) as number));
  if (hasAll(preferred)) return preferred;
  for (const file of fontFiles as readonly FontFile[]) {
    const font = loadFont(file);
    if (hasAll(font)) return font;
  }
  return undefined;
}

/**
 * The runs of one line from left to right, by the Unicode Bidirectional Algorithm (UAX 9) in a left-to-right paragraph.
 */
export function runsOf(line: string): TextRun[] {
  const { levels } = bidi.getEmbeddingLevels(line, "ltr");
  const runs: { text: string; font: LoadedFont; level: number }[] = [];
  for (const { segment, index } of graphemeSegmenter.segment(line)) {
    const level = levels[index] as number;
    // A combining mark after a code point in brackets forms a grapheme that no single font has. Each of its characters
    // is then drawn with its own font.
    for (const part of fontOf(segment) ? [segment] : segment) {
      const last = runs.at(-1);
      // Spaces and punctuation have the font of the text before them.
      const font = fontOf(part, /^[\p{Zs}\p{P}]/u.test(part) ? last?.font : undefined);
      if (!font)
        throw new Error(`No font has ${codePointOf(part)}, which replaceMissing should have replaced.`);
      const mirrored = level % 2 === 1 ? (bidi.getMirroredCharacter(part) ?? part) : part;
      const text = Array.from(mirrored)
        .filter((character) => font.hasGlyphForCodePoint(character.codePointAt(0) as number))
        .join("");
      if (last?.font === font && last.level === level) last.text += text;
      else runs.push({ text, font, level });
    }
  }
  return sortInVisualOrder(runs).map(({ text, font, level }) => ({
    text,
    font,
    isRightToLeft: level % 2 === 1,
  }));
}

/**
 * Sorts runs in visual order by rule L2 of UAX 9: from the highest level down to 1, it reverses every sequence at that
 * level or higher.
 */
function sortInVisualOrder<Run extends { readonly level: number }>(runs: readonly Run[]): Run[] {
  const ordered = [...runs];
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level -= 1) {
    for (let from = 0; from < ordered.length; from += 1) {
      let until = from;
      while ((ordered[until]?.level ?? 0) >= level) until += 1;
      if (until > from) ordered.splice(from, until - from, ...ordered.slice(from, until).toReversed());
      from = until;
    }
  }
  return ordered;
}

/** Breaks a paragraph into lines of at most `width`. A word that is wider than a line may be broken anywhere. */
export function wrapText(text: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  let [line, usedWidth] = ["", 0];
  const addUnit = (unit: string): void => {
    const unitWidth = measure(unit);
    if (line !== "" && usedWidth + measure(unit.trimEnd()) > width) {
      lines.push(line.trimEnd());
      [line, usedWidth] = ["", 0];
    }
    line += unit;
    usedWidth += unitWidth;
  };
  for (const unit of splitBreakableUnits(text)) {
    if (measure(unit.trimEnd()) <= width) addUnit(unit);
    else for (const { segment } of graphemeSegmenter.segment(unit)) addUnit(segment);
  }
  return [...lines, line.trimEnd()];
}

const whitespaceOnly = /^\s+$/;

/**
 * Splits a text where a line may break: after a space, and between words without spaces, as in Thai, Chinese and
 * Japanese. `Intl.Segmenter` finds these words. Punctuation stays with the word before it.
 */
function splitBreakableUnits(text: string): string[] {
  const units: string[] = [];
  let [wasSpace, wasWord] = [true, false];
  for (const { segment, isWordLike = false } of wordSegmenter.segment(text)) {
    const isSpace = whitespaceOnly.test(segment);
    const mayBreak =
      !isSpace &&
      (wasSpace || (isWordLike && (wasWord || /[\u3001-\u3003\uFF0C\uFF1B]$/.test(units.at(-1) ?? ""))));
    if (mayBreak || units.length === 0) units.push(segment);
    else units[units.length - 1] += segment;
    [wasSpace, wasWord] = [isSpace, isWordLike];
  }
  return units;
}
