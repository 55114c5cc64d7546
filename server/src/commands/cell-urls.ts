import { readerOf } from "./settings.ts";

/** The owner's login of another cell: `asia-2` is in TOLLGATE_CELL_ASIA_2_OWNER_DATABASE_URL, or in the file that the same with _FILE names. */
export function ownerUrlOf(cell: string): string {
  const name = cell.toUpperCase().replaceAll("-", "_");
  return readerOf(process.env).required(`CELL_${name}_OWNER_DATABASE_URL`);
}
