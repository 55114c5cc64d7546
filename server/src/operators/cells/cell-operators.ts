import type { Directory } from "../../cells/directory.ts";
import type { Operator } from "../../operator-session/owner-session.ts";
import { ownerUrlVariable, ownerUrlOf } from "./cell-urls.ts";
import type { CommandArguments } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { readSignedDirectory } from "./directory-file.ts";
import { readActor, settingsOf } from "../framework/operator-options.ts";
import { newSettingReader } from "../../settings/settings.ts";

/** The cells of a fleet, for a command that runs in all of them. */
export interface CellOperators {
  readonly directory: Directory;
  /** Cell name to database access, in the directory's order. */
  readonly operators: ReadonlyMap<string, Operator>;
}

/** Returns the cells of the directory with their logins. The error lists all missing variables. */
export async function readCellOperators(args: CommandArguments): Promise<CellOperators> {
  const { fleet, environment } = settingsOf(args, ["environment", "fleet"]);
  const directory = await readFleetDirectory(fleet);
  const reader = newSettingReader(process.env);
  const missing = [...directory.cells.keys()].map(ownerUrlVariable).filter((name) => !reader.isSet(name));
  if (missing.length > 0)
    throw new UsageError(`Set ${missing.map((name) => `TOLLGATE_${name}`).join(", ")}.`);
  const operatorIn = (cell: string): Operator => ({
    url: ownerUrlOf(cell),
    environment,
    by: readActor(args),
  });
  return {
    directory,
    operators: new Map([...directory.cells.keys()].map((cell) => [cell, operatorIn(cell)])),
  };
}

export async function readFleetDirectory(fleet: {
  readonly directoryFile: string;
  readonly directoryKeyFile: string;
}): Promise<Directory> {
  if (fleet.directoryFile === "") throw new UsageError("Set TOLLGATE_DIRECTORY_FILE.");
  return readSignedDirectory(fleet.directoryFile, fleet.directoryKeyFile);
}
