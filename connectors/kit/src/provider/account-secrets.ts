import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSecretFile } from "../../../../server/src/settings/read-secret-file.ts";
import type { AccountSecrets } from "../connector.ts";

/** Returns the secrets of a merchant's account; `undefined` is the operator's own account. */
export type SecretsOf = (account: string | undefined) => AccountSecrets | undefined;

export const ownAccount = "default";

/**
 * `newSecretsOf` reads secrets from `<folder>/<account>/<name>`, one file per secret, at each use: a changed file counts
 * at once, and no process restarts. During a rotation `<name>.old` is valid for receiving as well.
 */
export function newSecretsOf(folder: string): SecretsOf {
  return (account = ownAccount) => {
    // An account is a text of the gateway's operator, and must not lead to another folder.
    if (!/^[\w-][\w.-]*$/.test(account)) return undefined;
    const accountFolder = join(folder, account);
    if (!existsSync(accountFolder)) return undefined;
    return (name) => {
      const current = readSecretFile(join(accountFolder, name));
      const oldFile = join(accountFolder, `${name}.old`);
      return existsSync(oldFile) ? [current, readSecretFile(oldFile)] : [current];
    };
  };
}
