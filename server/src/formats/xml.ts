import { FileProblem } from "../core/file-problem.ts";

/** An XML element in bank messages: names without their namespace, and either children or text. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** The element's text, without surrounding white space. */
  readonly text: string;
}

const depthMax = 64;
/**
 * Characters that no document may contain: control characters (PostgreSQL cannot store NUL), halves of surrogate pairs,
 * and U+FFFE and U+FFFF, which are no characters.
 */
// oxlint-disable-next-line no-control-regex -- exactly these are meant
const invalidCharacter = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/u;
/** The form of a name: ASCII, with at most one prefix. ISO 20022 has no other names. */
const namePattern = /[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?/.source;
const space = "[ \\t\\n]";
const value = `${space}*=${space}*(?:"([^"<]*)"|'([^'<]*)')`;
const nonCapturingValue = value.replaceAll(/\((?=\[\^)/g, "(?:");
const token = new RegExp(
  [
    "<!--([\\s\\S]*?)-->",
    "<\\?([\\s\\S]*?)\\?>",
    "<!\\[CDATA\\[([\\s\\S]*?)\\]\\]>",
    `</(${namePattern})${space}*>`,
    `<(${namePattern})((?:${space}+${namePattern}${nonCapturingValue})*)${space}*(/?)>`,
    "([^<]+)",
  ].join("|"),
  "y",
);
const attribute = new RegExp(`(${namePattern})${value}`, "g");
const declaration =
  /^xml[ \t\n]+version[ \t\n]*=[ \t\n]*["']1\.0["'](?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*["'][A-Za-z][\w.-]*["'])?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*["'](?:yes|no)["'])?[ \t\n]*$/;
const instruction = /^(?!xml(?:[ \t\n]|$))[A-Za-z_][\w.-]*(?:[ \t\n]|$)/i;

/**
 * Parses a whole document. `parseXml` rejects document types, and with them every entity except the five of XML:
 * attackers use entities against XML parsers, and no bank sends any. Decision 0113 lists further differences from XML
 * 1.0. The time is linear in the length of the text.
 */
export function parseXml(source: string): Element {
  // XML normalises line ends to a line feed.
  const text = source.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
  const lineAt = (at: number): number => text.slice(0, at).split("\n").length;
  const invalid = invalidCharacter.exec(text);
  if (invalid)
    throw new FileProblem(lineAt(invalid.index), "It has a control character that XML does not allow.");
  const openElements: OpenElement[] = [];
  let root: Element | undefined;
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const fail = (problem: string): never => {
      throw new FileProblem(lineAt(at), problem);
    };
    const match = token.exec(text);
    if (!match) {
      return fail(text.startsWith("<!DOCTYPE", at) ? "A document type is not allowed." : "This is not XML.");
    }
    const [, comment, processing, literal, closed, opened, attributes = "", empty, characters] = match;
    const top = openElements.at(-1);
    if (comment?.includes("--") || comment?.endsWith("-")) fail("A comment has two hyphens in it.");
    if (
      processing !== undefined &&
      !(at === 0 && declaration.test(processing)) &&
      !instruction.test(processing)
    )
      fail("This is no XML declaration and no processing instruction.");
    if (opened !== undefined) {
      if (root) fail("There is a second element at the top.");
      if (openElements.length >= depthMax) fail(`Elements are nested deeper than ${depthMax}.`);
      openElements.push({
        qualifiedName: opened,
        attributes: parseAttributes(attributes, fail),
        children: [],
        text: "",
      });
    }
    if (closed !== undefined && top?.qualifiedName !== closed)
      fail(`</${closed}> ends ${top ? `<${top.qualifiedName}>` : "nothing"}.`);
    if (closed !== undefined || empty === "/") {
      const element = buildElement(openElements.pop() as OpenElement);
      const parent = openElements.at(-1);
      if (parent) parent.children.push(element);
      else root = element;
    }
    if (!top && (literal !== undefined || (characters !== undefined && /[^ \t\n]/.test(characters))))
      fail("There is text outside of the element.");
    if (characters?.includes("]]>")) fail("The end of a CDATA section has no beginning.");
    const content = literal ?? (characters === undefined ? undefined : resolveEntities(characters, fail));
    if (content !== undefined && top) top.text += content;
  }
  if (!root) throw new FileProblem(lineAt(text.length), "It ends too early.");
  return root;
}

interface OpenElement {
  /** The element's name with its prefix, because the end tag must be written equally. */
  readonly qualifiedName: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

function buildElement({ qualifiedName, attributes, children, text }: OpenElement): Element {
  return { name: localName(qualifiedName), attributes, children, text: text.trim() };
}

const localName = (qualifiedName: string): string => qualifiedName.slice(qualifiedName.indexOf(":") + 1);

type Fail = (problem: string) => never;

function parseAttributes(text: string, fail: Fail): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(attribute)].map(
    ([, name = "", double, single]) =>
      [name, resolveEntities((double ?? single ?? "").replaceAll(/[\t\n]/g, " "), fail)] as const,
  );
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) fail("Duplicate attribute.");
  return Object.fromEntries(pairs);
}

const entities: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

function resolveEntities(text: string, fail: Fail): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));?|&/g, (reference, hex, decimal, name) => {
    const code = hex ? Number.parseInt(hex as string, 16) : Number(decimal);
    const character = name
      ? entities.get(name as string)
      : isCharacter(code)
        ? String.fromCodePoint(code)
        : undefined;
    return character !== undefined && reference.endsWith(";")
      ? character
      : fail(`${reference.slice(0, 40)} is no entity of XML.`);
  });
}

const isCharacter = (code: number): boolean =>
  code === 9 ||
  code === 10 ||
  code === 13 ||
  (code >= 32 &&
    code <= 0x10_ffff &&
    (code < 0xd8_00 || code > 0xdf_ff) &&
    code !== 0xff_fe &&
    code !== 0xff_ff);

/** The first element at the end of a path of names, or undefined. */
export function findElement(element: Element, ...path: readonly string[]): Element | undefined {
  let current: Element | undefined = element;
  for (const name of path) current = current?.children.find((child) => child.name === name);
  return current;
}

/** All elements at the end of a path of names. */
export function findElements(element: Element, ...path: readonly string[]): readonly Element[] {
  let matches: readonly Element[] = [element];
  for (const name of path)
    matches = matches.flatMap(({ children }) => children.filter((child) => child.name === name));
  return matches;
}

// oxlint-disable-next-line no-control-regex -- exactly these are meant
const invalidCharacters = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu;

/**
 * Escapes a text for XML. Characters that XML cannot contain are dropped, so that a name cannot invalidate a payout
 * file.
 */
export function escapeXml(text: string): string {
  return (
    text
      .replaceAll(invalidCharacters, "")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      // XML parsers replace tabs, line feeds and carriage returns by a space or a line feed if they are not escaped.
      .replaceAll(/[\t\n\r]/g, (control) => `&#${control.charCodeAt(0)};`)
  );
}
