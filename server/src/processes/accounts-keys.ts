import type { KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { readPublicKeys } from "../people/public-keys.ts";

/** The public keys of the accounts service, with which the gateway verifies its tokens. */
export interface AccountsKeys {
  current(): ReadonlyMap<string, KeyObject>;
  /**
   * Reads the key file again, because keys are rotated while the process runs. If it throws, the old keys stay valid.
   */
  refresh(): Promise<void>;
}

export async function openAccountsKeys(file: string): Promise<AccountsKeys> {
  let keys = await readKeys(file);
  return {
    current: () => keys,
    refresh: async () => {
      keys = await readKeys(file);
    },
  };
}

async function readKeys(file: string): Promise<ReturnType<typeof readPublicKeys>> {
  try {
    return readPublicKeys(await readFile(file, "utf8"));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`TOLLGATE_ACCOUNTS_KEYS_FILE cannot be used. ${why}`, { cause });
  }
}
