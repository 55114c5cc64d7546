import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository, or of the installed package, which has the same folders. */
export const root = fileURLToPath(new URL("../../../", import.meta.url));

/** TypeScript in the repository; JavaScript in the package, because Node does not strip types in packages. */
const extension = extname(fileURLToPath(import.meta.url));

/** The programs that run as their own processes. */
export const programs = {
  gateway: join(root, `server/src/main${extension}`),
  accounts: join(root, `accounts/src/main${extension}`),
  wallet: join(root, `sandbox/src/main${extension}`),
  shop: join(root, `cli/src/start-shop${extension}`),
  till: join(root, `examples/till/main${extension}`),
  /** Preloaded into the others. */
  exitWithParent: join(root, `cli/src/exit-with-parent${extension}`),
} as const;

export const migrationsFolder = join(root, "server/migrations");
export const accountsMigrationsFolder = join(root, "accounts/migrations");
/** The built portal; in a checkout the first `tollgate dev` builds it. */
export const portalFolder = join(root, "portal/dist");
export const examplesFolder = join(root, "examples/curl");
