import { generatedNotice, type Emitter, type GeneratedFile } from "./emitter.ts";
import { areasOf } from "./python-areas.ts";
import { writeKeywords } from "./python-keywords.ts";
import { modelFilesOf } from "./python-models.ts";
import { paramsOf } from "./python-params.ts";
import { writePythonOutcomes } from "./payment-outcomes.ts";
import { stringArgument, importOf, snake, tupleArgument } from "./python-text.ts";
import type { Model } from "./model.ts";

const folder = "python/src/tollgate_client";

/** Dataclasses, typed dictionaries with wire names, and two clients (synchronous and asynchronous). */
export const python: Emitter = {
  language: "python",
  callOf: (area, operation) => `client.${area}.${snake(operation)}(…)`,
  emit: (model) => [
    ...modelFilesOf(model).map(({ name, doc, parts }) => file(`models/${name}.py`, doc, parts)),
    file("params.py", "Requests as typed dictionaries with wire names.", paramsOf(model)),
    file("keywords.py", "Requests as keyword arguments with Python names.", writeKeywords(model)),
    file("areas.py", "The operations, grouped by area as in the API.", areasOf(model)),
    file("_operations.py", "The facts that the library needs about each operation.", operationsOf(model)),
    file("_notifications.py", "The webhooks that the gateway sends.", notificationsOf(model)),
    file("_result_codes.py", "The facts about each result code.", resultCodesOf(model)),
    file(
      "_outcomes.py",
      "Reads the outcome of a payment from the fields of a message.",
      writePythonOutcomes(model.outcomes),
    ),
    file("_currencies.py", "The number of decimals of each currency.", currenciesOf(model)),
  ],
};

function file(name: string, doc: string, parts: readonly string[]): GeneratedFile {
  const [imports = "", ...otherParts] = parts;
  const head = `# ${generatedNotice}\n"""${doc}"""\n\nfrom __future__ import annotations\n\n${imports}`;
  return { path: `${folder}/${name}`, text: `${[head.trimEnd(), ...otherParts].join("\n\n\n")}\n` };
}

function operationsOf({ areas, secrets }: Model): string[] {
  const rows = areas
    .flatMap(({ operations }) => operations)
    .map(({ path, isRepeatable, idempotencyField }) => {
      const field = idempotencyField === undefined ? "" : `, ${JSON.stringify(idempotencyField)}`;
      return `    ${JSON.stringify(path)}: OperationFacts(${isRepeatable ? "True" : "False"}${field}),`;
    });
  return [
    "from typing import NamedTuple",
    [
      "class OperationFacts(NamedTuple):",
      "    is_repeatable: bool",
      '    """Whether the library may retry the request when its outcome is unknown."""',
      "    idempotency_field: str | None = None",
    ].join("\n"),
    [
      `OPERATIONS = {\n${rows.join("\n")}\n}\n`,
      "#: Fields that must never appear in a log.",
      `SECRET_FIELDS = (\n${secrets.map((name) => `    ${JSON.stringify(name)},`).join("\n")}\n)`,
    ].join("\n"),
  ];
}

function notificationsOf({ notifications }: Model): string[] {
  const types = notifications.map(({ type }) => type);
  const rows = notifications.map(({ kind, type, notifyTypes, requiredFields, subjectField }) =>
    [
      "    NotificationFacts(",
      `        kind=${JSON.stringify(kind)},`,
      `        body=${JSON.stringify(type)},`,
      ...tupleArgument("notify_types", notifyTypes, "        "),
      ...tupleArgument("required_fields", requiredFields, "        "),
      `        subject_field=${subjectField === undefined ? "None" : JSON.stringify(subjectField)},`,
      "    ),",
    ].join("\n"),
  );
  return [
    [
      "from typing import TYPE_CHECKING, NamedTuple\n",
      importOf("._model", ["Model"]),
      "\n#: The body of a webhook; a plain `Model` if this version of the library has no type for it.",
      "if TYPE_CHECKING:",
      importOf(".models", types, "    "),
      `\n    NotificationBody = (\n        ${[...types, "Model"].join("\n        | ")}\n    )`,
      "else:",
      "    # The base class only: reading the type of a field must not load all models.",
      "    NotificationBody = Model",
    ].join("\n"),
    [
      "class NotificationFacts(NamedTuple):",
      "    kind: str",
      "    body: str",
      '    """The name of its type in `models`."""',
      "    notify_types: tuple[str, ...]",
      "    required_fields: tuple[str, ...]",
      "    subject_field: str | None",
    ].join("\n"),
    `NOTIFICATIONS = (\n${rows.join("\n")}\n)`,
  ];
}

function resultCodesOf({ resultCodes }: Model): string[] {
  const rows = resultCodes.map(({ code, error, isRetryable, mayBeUnsigned, advice }) =>
    [
      `    ${JSON.stringify(code)}: CodeFacts(`,
      ...stringArgument("advice", advice, "        "),
      ...(error === undefined ? [] : [`        error=${JSON.stringify(error)},`]),
      ...(isRetryable ? ["        is_retryable=True,"] : []),
      ...(mayBeUnsigned ? ["        may_be_unsigned=True,"] : []),
      "    ),",
    ].join("\n"),
  );
  return [
    "from typing import NamedTuple",
    [
      "class CodeFacts(NamedTuple):",
      "    advice: str",
      "    error: str | None = None",
      '    """The name of the exception class; None if the code is not an error."""',
      "    is_retryable: bool = False",
      "    may_be_unsigned: bool = False",
      '    """Whether the gateway may return it before it authenticates the client, so without a signature."""',
    ].join("\n"),
    `RESULT_CODES = {\n${rows.join("\n")}\n}`,
  ];
}

function currenciesOf({ currencies }: Model): string[] {
  const digits = [...new Set(currencies.map((currency) => currency.digits))];
  const rows = digits.map((each) => {
    const lines = chunks(currencies.filter((currency) => currency.digits === each).map(({ code }) => code));
    const [firstLine = "", secondLine] = lines;
    return secondLine === undefined
      ? `    ${each}: ${firstLine},`
      : `    ${each}: (\n        ${lines.join("\n        ")}\n    ),`;
  });
  return [
    `_CODES = {\n${rows.join("\n")}\n}\n\nMINOR_DIGITS = {code: digits for digits, codes in _CODES.items() for code in codes.split()}`,
  ];
}

/** Splits codes into strings that fit on one line. */
function chunks(codes: readonly string[]): string[] {
  const size = 20;
  const count = Math.ceil(codes.length / size);
  return Array.from({ length: count }, (_, index) => {
    const text = codes.slice(index * size, (index + 1) * size).join(" ");
    return `"${text}${index < count - 1 ? " " : ""}"`;
  });
}
