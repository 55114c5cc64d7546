import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Builds the portal of a checkout that has none, at the first `tollgate dev`. The package has it built already. Without it the
 * rest works as well, so a failure is a line.
 */
export async function buildPortalOnce(root: string, onStep: (step: string) => void): Promise<void> {
  const [folder, program] = [join(root, "portal/dist"), join(root, "portal/build/build-portal.ts")];
  if (existsSync(join(folder, "index.html")) || !existsSync(program)) return;
  onStep("building the portal, this time only");
  try {
    // By a computed address: the program is in the repository only, not in the package.
    const { buildPortal } = (await import(pathToFileURL(program).href)) as {
      readonly buildPortal: (folder: string) => Promise<void>;
    };
    await buildPortal(folder);
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split("\n");
    onStep(`no portal, because it could not be built: ${reason}. Run npm ci, then npm run build -w portal.`);
  }
}
