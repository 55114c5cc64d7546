import { html, type Html, type HtmlPart } from "../formats/html.ts";
import { ar } from "./languages/ar.ts";
import { de } from "./languages/de.ts";
import { en } from "./languages/en.ts";
import { es } from "./languages/es.ts";
import { fil } from "./languages/fil.ts";
import { fr } from "./languages/fr.ts";
import { id } from "./languages/id.ts";
import { it } from "./languages/it.ts";
import { ja } from "./languages/ja.ts";
import { ko } from "./languages/ko.ts";
import { ms } from "./languages/ms.ts";
import { pt } from "./languages/pt.ts";
import type { Forms, Texts } from "./languages/texts.ts";
import { th } from "./languages/th.ts";
import { vi } from "./languages/vi.ts";
import { zhHans } from "./languages/zh-hans.ts";
import { zhHant } from "./languages/zh-hant.ts";

/** The available languages: tag, own name, and texts. */
export const languages = [
  ["en", "English", en],
  ["zh-Hans", "简体中文", zhHans],
  ["zh-Hant", "繁體中文", zhHant],
  ["ja", "日本語", ja],
  ["ko", "한국어", ko],
  ["th", "ไทย", th],
  ["vi", "Tiếng Việt", vi],
  ["id", "Bahasa Indonesia", id],
  ["ms", "Bahasa Melayu", ms],
  ["fil", "Filipino", fil],
  ["de", "Deutsch", de],
  ["fr", "Français", fr],
  ["es", "Español", es],
  ["pt", "Português", pt],
  ["it", "Italiano", it],
  ["ar", "العربية", ar],
] as const satisfies readonly (readonly [tag: string, name: string, texts: Texts])[];

/** A page's language: its texts, and its formats of numbers and times. */
export interface Language {
  readonly tag: string;
  /**
   * The locale, with the buyer's region if it is known, such as `pt-BR`: regions write numbers and times differently.
   */
  readonly locale: string;
  readonly direction: "ltr" | "rtl";
  readonly texts: Texts;
}

/**
 * The first of the buyer's wanted languages that is available. A region decides the script: `zh-TW` is written as
 * `zh-Hant`.
 */
export function selectLanguage(preferredTags: readonly string[]): Language {
  for (const tag of preferredTags) {
    const locale = localeOf(tag);
    const language = locale && languagesByScript.get(scriptOf(locale));
    if (language) return { ...language, locale: locale.baseName };
  }
  return english;
}

/** The languages of a browser, ordered by their weights: `de-CH,de;q=0.9,en;q=0.8`. */
export function acceptedLanguages(header: string | undefined): readonly string[] {
  const wanted = (header ?? "").slice(0, headerMax).split(",").map(parseWeight);
  return wanted
    .filter(({ weight }) => weight > 0)
    .toSorted((left, right) => right.weight - left.weight)
    .map(({ tag }) => tag);
}

/** The buyer's probable region, from the first wanted language that names one. */
export function regionOf(wanted: readonly string[]): string | undefined {
  return wanted.map((each) => localeOf(each)?.region).find((region) => region !== undefined);
}

/** Replaces the placeholders in braces by values. */
export function fillTemplate(text: string, values: Readonly<Record<string, HtmlPart>>): Html {
  const pieces = text.split(/\{(\w+)\}/);
  return html`${pieces.map((piece, index) => (index % 2 === 0 ? piece : values[piece]))}`;
}

/** Replaces the placeholders in braces by values in a text without markup, such as a title. */
export function fillPlainText(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}

/** The plural form of a text for a number. */
export function pluralText({ locale }: Language, forms: Forms, count: number): string {
  const form = forms[new Intl.PluralRules(locale).select(count)] ?? forms.other;
  return fillPlainText(form, { count: new Intl.NumberFormat(locale, westernDigits).format(count) });
}

/** Amounts and codes have the same digits on every page, because a buyer compares them with those of a wallet app. */
export const westernDigits = { numberingSystem: "latn" } as const;

const headerMax = 200;

function parseWeight(part: string): { readonly tag: string; readonly weight: number } {
  const [tag = "", ...parameters] = part.split(";").map((parameter) => parameter.trim());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return { tag, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

/**
 * The locale of a language tag; undefined for an invalid tag. Merchants also write `pt_BR`, and old browsers `tl` for
 * Filipino.
 */
function localeOf(text: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(text.replaceAll("_", "-").replace(/^tl\b/, "fil"));
  } catch {
    return undefined;
  }
}

function scriptOf(locale: Intl.Locale): string {
  const { language, script } = locale.maximize();
  return `${language}-${script}`;
}

const rightToLeft = new Set(["ar"]);

const languagesByScript = new Map(
  languages.map(([tag, , texts]): [string, Language] => [
    scriptOf(new Intl.Locale(tag)),
    { tag, locale: tag, direction: rightToLeft.has(tag) ? "rtl" : "ltr", texts },
  ]),
);

/** English is the fallback, because most buyers understand it if their own language is not available. */
export const english: Language = { tag: "en", locale: "en", direction: "ltr", texts: en };
