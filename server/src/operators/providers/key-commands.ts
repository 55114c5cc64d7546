import type { Commands } from "../framework/command.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredNumber,
  settingsOf,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";

/** Commands that retire gateway keys and rotate the key file. */
export const keyCommands: Commands = {
  "gateway-key retire": {
    requiredRole: "admin",
    auditLabel: { english: "Retired a gateway key", chinese: "停用网关密钥" },
    requiresApproval: true,
    summary: "Delete a gateway key that is pinned to no merchant or connector",
    description:
      "Deletes its private halves. Rejected for the newest key, and while a merchant or connector is pinned to " +
      "it. The audit log keeps the public halves. This cannot be undone, but older backups still contain the " +
      `wrapped key. ${ownerSettingsHelp}`,
    options: {
      version: { value: "N", summary: "Version of the gateway key", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate gateway-key retire --version 1 --reason 'everybody has moved to 2'"],
    run: async (args) => {
      const { retireGatewayKey } = await import("./manage-gateway-keys.ts");
      const version = requiredNumber(args, "version", [1, 2 ** 31 - 1]);
      await retireGatewayKey(operatorOf(args), version);
      printResult(
        args,
        { version },
        `Gateway key ${version} is deleted. All processes drop it within ten seconds.`,
      );
    },
  },
  "key-file rotate": {
    requiredRole: "admin",
    auditLabel: { english: "Rotated the key file", chinese: "轮换密钥文件" },
    summary: "Wrap the gateway's private keys with another key file",
    description:
      "Unwraps with TOLLGATE_OLD_KEY_FILE and wraps with TOLLGATE_KEY_FILE. First restart `serve` and `work` " +
      "with both files. Afterwards the old file is not needed. An interrupted run changes nothing; run it " +
      `again. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate key-file rotate --reason 'the yearly change'"],
    run: async (args) => {
      const { rotateKeyFile, rotationText } = await import("./key-file.ts");
      const { readWrappingKeys } = await import("../../signing/wrapping-keys.ts");
      const { keyFile, signing } = settingsOf(args, ["environment", "ownerDatabaseUrl", "keyFile"]);
      const rotation = await rotateKeyFile(
        operatorOf(args),
        await readWrappingKeys(keyFile, signing.oldKeyFile),
      );
      printResult(args, rotation, rotationText(rotation));
    },
  },
};
