import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Builds the portal at the first `tollgate dev` of a checkout. The npm package contains a built portal. If the build
 * fails, a line reports it and the other parts start.
 */
export async function buildPortalOnce(root: string, onStep: (step: string) => void): Promise<void> {
  const program = join(root, "portal/build/build-portal.ts");
  if (existsSync(join(root, "portal/dist/index.html")) || !existsSync(program)) return;
  onStep("building the portal (only at the first start)");
  try {
    await promisify(execFile)(process.execPath, [program], { cwd: join(root, "portal") });
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    const reason = /^\w*Error.*$/m.exec(stderr)?.[0] ?? "the build ended with an error";
    onStep(`no portal, because the build failed: ${reason}. Run npm ci, then npm run build -w portal.`);
  }
}
