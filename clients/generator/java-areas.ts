import type { GeneratedFile } from "./emitter.ts";
import {
  areaName,
  codecName,
  javadoc,
  javaDeprecation,
  javaFile,
  joinOrBreakLines,
  packages,
  quoteJava,
} from "./java-text.ts";
import { constantName } from "./names.ts";
import type { Area, Model, Operation } from "./model.ts";

/** Generates `client.payments()` and the other areas, with four methods for each operation. */
export function javaAreas({ areas }: Model): GeneratedFile[] {
  return [...areas.map(areaClassFile), allAreasFile(areas)];
}

function areaClassFile({ name, doc, operations }: Area): GeneratedFile {
  const className = areaName(name);
  const body = `${javadoc(doc === "" ? `The operations of \`${name}\`.` : doc)}public class ${className} {
${operations.map(constantOf).join("\n")}

  private final Caller caller;

  ${className}(Caller caller) {
    this.caller = caller;
  }

${operations.map(methodsOf).join("\n\n")}
}`;
  const types = operations.flatMap(({ request, response }) => [request, response]);
  const imports = [
    `${packages.call}.Caller`,
    `${packages.call}.Operation`,
    "java.util.concurrent.CompletableFuture",
    ...types.flatMap((type) => [`${packages.model}.${type}`, `${packages.codec}.${codecName(type)}`]),
  ];
  return javaFile(packages.base, className, imports, body);
}

function constantOf(operation: Operation): string {
  const { path, request, response, isRepeatable, idempotencyField } = operation;
  const field = idempotencyField === undefined ? "null" : quoteJava(idempotencyField);
  const [constant, codecs] = [
    constantName(operation.name),
    [request, response].map((type) => `${codecName(type)}.CODEC`),
  ];
  return `  static final Operation<${request}, ${response}> ${constant} =
      new Operation<>(
          ${quoteJava(path)}, ${isRepeatable}, ${field},
          ${codecs.join(", ")});`;
}

function methodsOf({ name, summary, doc, request, response, deprecated }: Operation): string {
  const constant = constantName(name);
  const asyncHead = joinOrBreakLines(
    `public CompletableFuture<${response}> ${name}Async(`,
    [`${request} request`, "CallOptions options"],
    ")",
    "  ",
  );
  const description = [summary, doc].filter((text) => text !== "").join(" ");
  return `${javaDeprecation(description, deprecated, "  ")}  public ${response} ${name}(${request} request) {
    return ${name}(request, CallOptions.DEFAULT);
  }

${javaDeprecation(description, deprecated, "  ")}  public ${response} ${name}(${request} request, CallOptions options) {
    return caller.call(${constant}, request, options);
  }

${javaDeprecation(`As {@link #${name}(${request})}, without waiting.`, deprecated, "  ")}  public CompletableFuture<${response}> ${name}Async(${request} request) {
    return ${name}Async(request, CallOptions.DEFAULT);
  }

${javaDeprecation(`As {@link #${name}(${request}, CallOptions)}, without waiting.`, deprecated, "  ")}${asyncHead} {
    return caller.callAsync(${constant}, request, options);
  }`;
}

function allAreasFile(areas: readonly Area[]): GeneratedFile {
  const getters = areas.map(
    ({ name, doc }) =>
      `${javadoc(doc, [], "  ")}  public ${areaName(name)} ${name}() {\n    return new ${areaName(name)}(caller);\n  }`,
  );
  const cases = areas.flatMap(({ name, operations }) =>
    operations.map(
      (operation) =>
        `      case ${quoteJava(operation.path)} -> ${areaName(name)}.${constantName(operation.name)};`,
    ),
  );
  const body = `/**
 * All operations, grouped by area as in the API. Areas are created on first use, so that the client starts fast.
 * Only {@link Tollgate} extends this class.
 */
public abstract class Areas {
  private final Caller caller;

  Areas(Caller caller) {
    this.caller = caller;
  }

${getters.join("\n\n")}

  /** The facts of the operation with this path; null for an unknown operation. */
  static Operation<?, ?> factsOf(String path) {
    return switch (path) {
${cases.join("\n")}
      default -> null;
    };
  }
}`;
  const imports = [`${packages.call}.Caller`, `${packages.call}.Operation`];
  return javaFile(packages.base, "Areas", imports, body);
}
