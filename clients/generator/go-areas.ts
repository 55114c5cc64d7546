import { comment, createDocTranslator, writeDocSentence } from "./go-text.ts";
import { goName } from "./names.ts";
import type { Area, Model, Operation } from "./model.ts";

/** Generates `client.Payments` and the other areas. */
export function goAreas(model: Model): string[] {
  const translateDoc = createDocTranslator(model);
  const fields = model.areas.map(
    ({ name, doc }) =>
      `${comment(`${goName(name)}: ${translateDoc(doc)}`, "\t")}\t${goName(name)} *${areaName(name)}`,
  );
  const longest = Math.max(...model.areas.map(({ name }) => goName(name).length));
  const initializers = model.areas.map(
    ({ name }) => `\t\t${`${goName(name)}:`.padEnd(longest + 1)} &${areaName(name)}{caller},\n`,
  );
  return [
    `// Areas are the operations of a client, grouped by area as in the API.\ntype Areas struct {\n${fields.join("\n")}\n}`,
    `func areasOf(caller *caller) Areas {\n\treturn Areas{\n${initializers.join("")}\t}\n}`,
    ...model.areas.map((area) => areaOf(area, translateDoc)),
  ];
}

const areaName = (name: string): string => `${goName(name)}Area`;

function areaOf({ name, doc, operations }: Area, translateDoc: (doc: string) => string): string {
  const type = areaName(name);
  const typeComment = `${type} has the operations of ${name}. ${translateDoc(doc)}`.trim();
  return [
    `${comment(typeComment)}type ${type} struct{ caller *caller }`,
    ...operations.map((operation) => methodOf(type, operation, translateDoc)),
  ].join("\n\n");
}

function methodOf(
  type: string,
  { name, path, summary, doc, request, response, deprecated }: Operation,
  translateDoc: (doc: string) => string,
): string {
  const method = goName(name);
  const [requestType, responseType] = [goName(request), goName(response)];
  const methodComment = translateDoc(
    [writeDocSentence(method, summary), doc].filter((text) => text !== "").join(" "),
  );
  return `${comment(methodComment, "", deprecated)}func (a *${type}) ${method}(
	ctx context.Context, request ${requestType}, options ...CallOption,
) (*${responseType}, error) {
	return call[${responseType}](ctx, a.caller, ${JSON.stringify(path)}, request, options)
}`;
}
