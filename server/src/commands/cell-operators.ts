import type { Directory } from "../cells/directory.ts";
import type { Operator } from "./as-owner.ts";
import { loginOf, ownerUrlOf } from "./cell-urls.ts";
import { UsageError, type Given } from "./command.ts";
import { readSignedDirectory } from "./open-fleet.ts";
import { byOf, settingsOf } from "./operator.ts";
import { readerOf } from "./settings.ts";

/** The cells of a fleet, for a command that works in all of them. */
export interface CellOperators {
  readonly directory: Directory;
  /** Name → the operator's way into its database, in the directory's order. */
  readonly operators: ReadonlyMap<string, Operator>;
}

/** Cells from the directory, and for each the login that its own variable names. All that are missing are told at once. */
export async function cellOperators(given: Given): Promise<CellOperators> {
  const { fleet, environment } = settingsOf(given, ["environment", "fleet"]);
  const directory = await directoryOf(fleet);
  const reader = readerOf(process.env);
  const missing = [...directory.cells.keys()].map(loginOf).filter((name) => !reader.isSet(name));
  if (missing.length > 0)
    throw new UsageError(`Set ${missing.map((name) => `TOLLGATE_${name}`).join(", ")}.`);
  const operatorIn = (cell: string): Operator => ({
    url: ownerUrlOf(cell),
    environment,
    by: byOf(given),
  });
  return {
    directory,
    operators: new Map([...directory.cells.keys()].map((cell) => [cell, operatorIn(cell)])),
  };
}

export async function directoryOf(fleet: {
  readonly directoryFile: string;
  readonly directoryKeyFile: string;
}): Promise<Directory> {
  if (fleet.directoryFile === "") throw new UsageError("Set TOLLGATE_DIRECTORY_FILE.");
  return readSignedDirectory(fleet.directoryFile, fleet.directoryKeyFile);
}
