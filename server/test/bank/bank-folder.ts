import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BankMessage } from "./bank-delivery.ts";
import type { Instruction } from "./bank-message.ts";
import type { BankSimulator } from "./bank-simulator.ts";

/** `transferToBank` passes every finished file of a folder to the bank and deletes it, as a file transfer program does. */
export function transferToBank(bank: BankSimulator, folder: string): readonly Instruction[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".xml"))
    .flatMap((name) => {
      const accepted = bank.receive(readFileSync(join(folder, name), "utf8"));
      rmSync(join(folder, name));
      return accepted;
    });
}

/** `storeMessage` writes a message of the bank to a folder, and returns its path. */
export function storeMessage(folder: string, { name, text }: BankMessage): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
