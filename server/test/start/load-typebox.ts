import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { typeboxEntries, typeboxFolder } from "./bundle-typebox.ts";

/** For `--import`: has a process of the tests load TypeBox as the global set-up has bundled it. */
if (existsSync(typeboxFolder))
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier in typeboxEntries
        ? { url: new URL(`${typeboxEntries[specifier]}.mjs`, typeboxFolder).href, shortCircuit: true }
        : next(specifier, context),
  });
