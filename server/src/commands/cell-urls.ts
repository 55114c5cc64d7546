import { readerOf } from "./settings.ts";

/** The owner's login of another cell, from its variable, or from the file that the same with _FILE names. */
export function ownerUrlOf(cell: string): string {
  return readerOf(process.env).required(loginOf(cell));
}

/** The variable with a cell's login: `asia-1` has TOLLGATE_CELL_ASIA_1_OWNER_DATABASE_URL. */
export function loginOf(cell: string): string {
  return `CELL_${cell.toUpperCase().replaceAll("-", "_")}_OWNER_DATABASE_URL`;
}
