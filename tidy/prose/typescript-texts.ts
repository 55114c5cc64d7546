import { parseSync, Visitor } from "rolldown/utils";
import { otherTexts } from "./other-texts.ts";
import { isSentence, joinLineComments, type Text } from "./text.ts";

/**
 * Comments and sentences in string literals of TypeScript and JavaScript, found by the oxc parser inside `rolldown`,
 * because TypeScript 7 has no public scanner. In a test, only its names are sentences.
 */
export function typescriptTexts(path: string, source: string): Text[] {
  const parsed = parseSync(path, source);
  if (parsed.errors.length > 0) throw new Error(`${path}: oxc cannot parse it: ${parsed.errors[0]?.message}`);
  const comments = parsed.comments
    .filter(({ start }) => !source.startsWith("#!", start))
    .map(({ start, end }) => ({ kind: "comment", start, end }) as const);
  return [...joinLineComments(source, comments), ...stringTexts(path, source, parsed.program)].toSorted(
    (one, other) => one.start - other.start,
  );
}

type Program = ReturnType<typeof parseSync>["program"];

function stringTexts(path: string, source: string, program: Program): Text[] {
  const isTest = /\.(?:test|slow|load)\.tsx?$|(?:^|\/)tests?\//.test(path);
  const isCatalogue = path.startsWith("portal/src/languages/english");
  const texts: Text[] = [];
  const sql = new Set<number>();
  const add = ({ start, end }: { start: number; end: number }): void => {
    const raw = source.slice(start, end);
    if (isCatalogue) texts.push({ kind: "label", start, end });
    else if (isSentence(raw)) texts.push({ kind: "message", start, end });
  };
  const visitor = new Visitor({
    TaggedTemplateExpression({ tag, quasi }) {
      if (tag.type !== "Identifier" || !/^(?:sql|fragment)$/.test(tag.name)) return;
      for (const part of quasi.quasis) {
        sql.add(part.start);
        const inside = otherTexts(".sql", source.slice(part.start, part.end));
        for (const { kind, start, end } of inside)
          texts.push({ kind, start: start + part.start, end: end + part.start });
      }
    },
    CallExpression({ callee, arguments: [name] }) {
      if (!isTest || callee.type !== "Identifier" || !/^(?:test|describe|it|suite)$/.test(callee.name))
        return;
      if (name?.type === "Literal" || name?.type === "TemplateLiteral") add(name);
    },
    Literal(literal) {
      if (!isTest && typeof literal.value === "string") add(literal);
    },
    TemplateElement(part) {
      if (!isTest && !sql.has(part.start)) add(part);
    },
    JSXText(text) {
      if (!isTest) add(text);
    },
  });
  visitor.visit(program);
  return texts;
}
