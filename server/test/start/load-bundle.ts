import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { bundledUrl } from "./bundle-sources.ts";

const [, program = "", command = ""] = process.argv;
/** Short commands and most test files import a few source files, which load faster than the bundle. */
const loadsGateway =
  // A process with a seeded bug loads the sources and not the bundle, because the bug replaces a text of one source
  // file.
  process.env["SEEDED_BUG"] === undefined &&
  ((/\/server\/(?:src|test\/crash)\/[\w-]*main\.ts$/.test(program) && /^(?:serve|work)/.test(command)) ||
    program.endsWith("/sandbox/src/main.ts") ||
    (/\.(?:test|slow|load)\.ts$/.test(program) &&
      /\/start\/test-(?:gateway|stack)\.ts"/.test(readFileSync(program, "utf8"))));

/** For `--import`: makes a test process load the bundle of the global set-up. */
registerHooks({
  resolve(specifier, context, next) {
    if (/^[./]|^\w+:/.test(specifier)) {
      const resolved = next(specifier, context);
      const url = loadsGateway ? bundledUrl(resolved.url) : undefined;
      return url ? { url, format: "module", shortCircuit: true } : resolved;
    }
    const url = bundledUrl(specifier);
    return url ? { url, format: "module", shortCircuit: true } : next(specifier, context);
  },
});
