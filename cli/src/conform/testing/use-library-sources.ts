import { registerHooks } from "node:module";

/** Preloaded into an example: resolves `@tollgate/client` to the library's source, which needs no build. */
const library = new URL("../../../../clients/typescript/src/generated/package.ts", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === "@tollgate/client" ? { url: library, shortCircuit: true } : nextResolve(specifier, context),
});
