import { writeCall, deprecatedDoc, docstring, unionParameter, importOf, snake } from "./python-text.ts";
import { createDocTranslator } from "./python-docs.ts";
import { upperFirst, type Area, type Model, type Operation } from "./model.ts";

/** Generates each area twice, because synchronous and asynchronous Python code cannot share a class. */
export function areasOf(model: Model): string[] {
  const translateDoc = createDocTranslator(model);
  return [
    [
      ...(hasDeprecations(model) ? ["import warnings"] : []),
      "from typing import TYPE_CHECKING\n",
      "from . import models",
      importOf("._area", ["Area", "AsyncArea", "AsyncCaller", "Caller", "asked_of"]),
      importOf("._lazy", ["later"]),
      importOf("._typing", ["Unpack"]),
      "\nif TYPE_CHECKING:",
      "    from . import keywords, params",
      "else:",
      '    keywords, params = later(__package__, "keywords"), later(__package__, "params")',
    ].join("\n"),
    ...model.areas.flatMap((area) => [areaOf(area, "", translateDoc), areaOf(area, "Async", translateDoc)]),
    allAreas(model, ""),
    allAreas(model, "Async"),
  ];
}

function hasDeprecations({ areas }: Model): boolean {
  return areas.some(({ operations }) => operations.some(({ deprecated }) => deprecated !== undefined));
}

type Prefix = "" | "Async";

const areaName = (prefix: Prefix, name: string): string => `${prefix}${upperFirst(name)}Area`;

function areaOf(
  { name, doc, operations }: Area,
  prefix: Prefix,
  translateDoc: (doc: string) => string,
): string {
  return [
    `class ${areaName(prefix, name)}(${prefix}Area):`,
    ...docstring([translateDoc(doc)], "    "),
    ...operations.flatMap((operation) => ["", ...methodOf(operation, prefix, translateDoc)]),
  ].join("\n");
}

function methodOf(operation: Operation, prefix: Prefix, translateDoc: (doc: string) => string): string[] {
  const { path, name, summary, doc, request, response, deprecated } = operation;
  const isAsync = prefix === "Async";
  const callHead = `return ${isAsync ? "await " : ""}self._call`;
  return [
    `    ${isAsync ? "async " : ""}def ${snake(name)}(`,
    "        self,",
    ...unionParameter("request", [`models.${request}`, `params.${request}Dict`, "None"], "        ", "None"),
    `        **fields: Unpack[keywords.${request.replace(/Request$/, "")}Keywords],`,
    `    ) -> models.${response}:`,
    ...docstring([translateDoc(summary), translateDoc(doc), deprecatedDoc(deprecated)], "        "),
    ...(deprecated === undefined
      ? []
      : writeCall(
          "warnings.warn",
          [JSON.stringify(deprecated), "DeprecationWarning", "stacklevel=2"],
          "",
          "        ",
        )),
    ...writeCall("asked, options = asked_of", [`models.${request}`, "request", "fields"], "", "        "),
    ...writeCall(callHead, [JSON.stringify(path), "asked", `models.${response}`, "options"], "", "        "),
  ];
}

function allAreas({ areas }: Model, prefix: Prefix): string {
  return [
    `class ${prefix}Areas:`,
    '    """All areas of a client."""',
    "",
    `    def __init__(self, call: ${prefix}Caller) -> None:`,
    ...areas.flatMap(({ name, doc }) => [
      `        self.${snake(name)} = ${areaName(prefix, name)}(call)`,
      ...docstring([doc], "        "),
    ]),
  ].join("\n");
}
