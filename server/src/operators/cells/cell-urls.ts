import { newSettingReader } from "../../settings/settings.ts";

/** Returns the owner's login of another cell, from its variable or from the file named by the variable with `_FILE`. */
export function ownerUrlOf(cell: string): string {
  return newSettingReader(process.env).required(ownerUrlVariable(cell));
}

/** Returns the variable that holds a cell's login: TOLLGATE_CELL_ASIA_1_OWNER_DATABASE_URL for `asia-1`. */
export function ownerUrlVariable(cell: string): string {
  return `CELL_${cell.toUpperCase().replaceAll("-", "_")}_OWNER_DATABASE_URL`;
}
