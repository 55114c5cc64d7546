import type { Commands } from "./command.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownersSettings,
  requiredNumber,
  settingsOf,
} from "./operator.ts";
import { show } from "./show.ts";

/** Commands with which keys of the gateway's come to their end: its old pairs, and the key that wraps all of them. */
export const keyCommands: Commands = {
  "gateway-key retire": {
    needs: "admin",
    acts: true,
    takesTwo: true,
    does: "delete a gateway key that nobody is pinned to any more, private halves and all",
    about:
      "Refused for the newest, and while a merchant or a wallet is pinned to it. The audit keeps its public halves. It cannot be undone;\n" +
      `backups from before still have the key, wrapped. ${ownersSettings}`,
    options: {
      version: { value: "N", does: "which of the gateway's keys", isRequired: true },
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
        `Gateway key ${version} is gone. Every process forgets it within ten seconds.`,
      );
    },
  },
  "key-file rotate": {
    needs: "admin",
    acts: true,
    does: "wrap the gateway's private keys with another key file",
    about:
      "It opens with TOLLGATE_OLD_KEY_FILE, and wraps with TOLLGATE_KEY_FILE. Before it, start `serve` and `work` with both; behind it, the\n" +
      `old file opens nothing. Killed in the middle it has done nothing: run it again. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate key-file rotate --reason 'the yearly change'"],
    run: async (given) => {
      const { rotateKeyFile, rotatedText } = await import("./key-file.ts");
      const { readWrappingKeys } = await import("../signing/wrapping-keys.ts");
      const { keyFile, signing } = settingsOf(given, ["environment", "ownerDatabaseUrl", "keyFile"]);
      const rotated = await rotateKeyFile(
        operatorOf(given),
        await readWrappingKeys(keyFile, signing.oldKeyFile),
      );
      show(given, rotated, rotatedText(rotated));
    },
  },
};
