import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Builds the portal of a checkout that has none, at the first `tollgate dev`. The package has it built already. Without it the
 * rest works as well, so a failure is a line.
 */
export async function buildPortalOnce(root: string, onStep: (step: string) => void): Promise<void> {
  const program = join(root, "portal/build/build-portal.ts");
  if (existsSync(join(root, "portal/dist/index.html")) || !existsSync(program)) return;
  onStep("building the portal, this time only");
  try {
    await promisify(execFile)(process.execPath, [program], { cwd: join(root, "portal") });
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    const reason = /^\w*Error.*$/m.exec(stderr)?.[0] ?? "the build ended with an error";
    onStep(`no portal, because it could not be built: ${reason}. Run npm ci, then npm run build -w portal.`);
  }
}
