import { comment, inGo, docSentence } from "./go-text.ts";
import { goName } from "./names.ts";
import type { Area, Model, Operation } from "./model.ts";

/** Generates `client.Payments` and the other areas. */
export function goAreas(model: Model): string[] {
  const words = inGo(model);
  const fields = model.areas.map(
    ({ name, doc }) =>
      `${comment(`${goName(name)}: ${words(doc)}`, "\t")}\t${goName(name)} *${areaName(name)}`,
  );
  const longest = Math.max(...model.areas.map(({ name }) => goName(name).length));
  const made = model.areas.map(
    ({ name }) => `\t\t${`${goName(name)}:`.padEnd(longest + 1)} &${areaName(name)}{caller},\n`,
  );
  return [
    `// Areas are the operations of a client, grouped by area as in the API.\ntype Areas struct {\n${fields.join("\n")}\n}`,
    `func areasOf(caller *caller) Areas {\n\treturn Areas{\n${made.join("")}\t}\n}`,
    ...model.areas.map((area) => areaOf(area, words)),
  ];
}

const areaName = (name: string): string => `${goName(name)}Area`;

function areaOf({ name, doc, operations }: Area, words: (doc: string) => string): string {
  const type = areaName(name);
  const said = `${type} has the operations of ${name}. ${words(doc)}`.trim();
  return [
    `${comment(said)}type ${type} struct{ caller *caller }`,
    ...operations.map((operation) => methodOf(type, operation, words)),
  ].join("\n\n");
}

function methodOf(
  type: string,
  { name, path, summary, doc, request, response, deprecated }: Operation,
  words: (doc: string) => string,
): string {
  const method = goName(name);
  const [takes, gives] = [goName(request), goName(response)];
  const said = words([docSentence(method, summary), doc].filter((text) => text !== "").join(" "));
  return `${comment(said, "", deprecated)}func (a *${type}) ${method}(
	ctx context.Context, request ${takes}, options ...CallOption,
) (*${gives}, error) {
	return call[${gives}](ctx, a.caller, ${JSON.stringify(path)}, request, options)
}`;
}
