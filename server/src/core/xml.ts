import { FileProblem } from "./file-problem.ts";

/** An element of XML, as messages of banks have them: names without their namespace, either children or text. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** Its text, with the space around it taken away. */
  readonly text: string;
}

const depthMax = 64;
// oxlint-disable-next-line no-control-regex -- exactly these are meant
const controls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]/;
const token =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
const attribute = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/**
 * Reads a whole document. A document type is refused, and with it every entity but the five of XML: entities are what readers of XML are
 * attacked with, and no bank sends any.
 */
export function readXml(text: string): Element {
  const lineAt = (at: number): number => text.slice(0, at).split("\n").length;
  // No document may have them, and PostgreSQL stores no NUL.
  const control = controls.exec(text);
  if (control)
    throw new FileProblem(lineAt(control.index), "It has a control character that XML does not allow.");
  const open: Building[] = [];
  let root: Element | undefined;
  token.lastIndex = text.startsWith("\uFEFF") ? 1 : 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const fail = (problem: string): never => {
      throw new FileProblem(lineAt(at), problem);
    };
    const found = token.exec(text);
    if (!found) {
      return fail(text.startsWith("<!DOCTYPE", at) ? "A document type is not taken." : "This is no XML.");
    }
    const [, literal, closed, opened, attributes = "", empty, characters] = found;
    const top = open.at(-1);
    if (opened !== undefined) {
      if (root) fail("There is a second element at the top.");
      if (open.length >= depthMax) fail(`Elements are nested deeper than ${depthMax}.`);
      open.push({
        written: opened,
        attributes: readAttributes(attributes, fail),
        children: [],
        text: "",
      });
    }
    if (closed !== undefined && top?.written !== closed)
      fail(`</${closed}> ends ${top ? `<${top.written}>` : "nothing"}.`);
    if (closed !== undefined || empty === "/") {
      const built = finish(open.pop() as Building);
      const parent = open.at(-1);
      if (parent) parent.children.push(built);
      else root = built;
    }
    const words = literal ?? (characters === undefined ? undefined : resolve(characters, fail));
    if (words !== undefined && top) top.text += words;
    else if (words !== undefined && words.trim() !== "") fail("There is text outside of the element.");
  }
  if (!root) throw new FileProblem(lineAt(text.length), "It ends too early.");
  return root;
}

interface Building {
  /** With its prefix: what ends it has to be written like that. */
  readonly written: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

function finish({ written, attributes, children, text }: Building): Element {
  return { name: localName(written), attributes, children, text: text.trim() };
}

const localName = (written: string): string => written.slice(written.indexOf(":") + 1);

type Fail = (problem: string) => never;

function readAttributes(text: string, fail: Fail): Readonly<Record<string, string>> {
  const found = [...text.matchAll(attribute)].map(
    ([, name = "", double, single]) => [name, resolve(double ?? single ?? "", fail)] as const,
  );
  if (new Set(found.map(([name]) => name)).size < found.length) fail("An attribute stands there twice.");
  return Object.fromEntries(found);
}

const entities: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

function resolve(text: string, fail: Fail): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));?|&/g, (written, hex, decimal, name) => {
    const code = hex ? Number.parseInt(hex as string, 16) : Number(decimal);
    const known = name
      ? entities.get(name as string)
      : isCharacter(code)
        ? String.fromCodePoint(code)
        : undefined;
    return known !== undefined && written.endsWith(";") ? known : fail(`${written} is no entity of XML.`);
  });
}

const isCharacter = (code: number): boolean =>
  code === 9 ||
  code === 10 ||
  code === 13 ||
  (code >= 32 && code <= 0x10_ffff && (code < 0xd8_00 || code > 0xdf_ff));

/** The first element at the end of a path of names, or undefined. */
export function elementAt(element: Element, ...path: readonly string[]): Element | undefined {
  let at: Element | undefined = element;
  for (const name of path) at = at?.children.find((child) => child.name === name);
  return at;
}

/** All elements at the end of a path of names. */
export function elementsAt(element: Element, ...path: readonly string[]): readonly Element[] {
  let all: readonly Element[] = [element];
  for (const name of path)
    all = all.flatMap(({ children }) => children.filter((child) => child.name === name));
  return all;
}

// oxlint-disable-next-line no-control-regex -- exactly these are meant
const unsayable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]|\p{Surrogate}/gu;

/** Text for XML. Characters that XML has no way to write are left out: a name must not make a file of payouts void. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(unsayable, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
