import type { Commands } from "../framework/command.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownersSettings,
  requiredNumber,
  settingsOf,
} from "../framework/operator.ts";
import { show } from "../framework/show.ts";

/** Commands that retire gateway keys and rotate the key file. */
export const keyCommands: Commands = {
  "gateway-key retire": {
    needs: "admin",
    acts: { english: "Retired a gateway key", chinese: "停用网关密钥" },
    requiresApproval: true,
    does: "Delete a gateway key that is pinned to no merchant or connector",
    about:
      "Deletes its private halves. Rejected for the newest key, and while a merchant or connector is pinned to " +
      "it. The audit log keeps the public halves. This cannot be undone, but older backups still contain the " +
      `wrapped key. ${ownersSettings}`,
    options: {
      version: { value: "N", does: "Version of the gateway key", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate gateway-key retire --version 1 --reason 'everybody has moved to 2'"],
    run: async (given) => {
      const { retireGatewayKey } = await import("./gateway-key.ts");
      const version = requiredNumber(given, "version", [1, 2 ** 31 - 1]);
      await retireGatewayKey(operatorOf(given), version);
      show(
        given,
        { version },
        `Gateway key ${version} is deleted. All processes drop it within ten seconds.`,
      );
    },
  },
  "key-file rotate": {
    needs: "admin",
    acts: { english: "Rotated the key file", chinese: "轮换密钥文件" },
    does: "Wrap the gateway's private keys with another key file",
    about:
      "Unwraps with TOLLGATE_OLD_KEY_FILE and wraps with TOLLGATE_KEY_FILE. First restart `serve` and `work` " +
      "with both files. Afterwards the old file is not needed. An interrupted run changes nothing; run it " +
      `again. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate key-file rotate --reason 'the yearly change'"],
    run: async (given) => {
      const { rotateKeyFile, rotatedText } = await import("./key-file.ts");
      const { readWrappingKeys } = await import("../../signing/wrapping-keys.ts");
      const { keyFile, signing } = settingsOf(given, ["environment", "ownerDatabaseUrl", "keyFile"]);
      const rotated = await rotateKeyFile(
        operatorOf(given),
        await readWrappingKeys(keyFile, signing.oldKeyFile),
      );
      show(given, rotated, rotatedText(rotated));
    },
  },
};
