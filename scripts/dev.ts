import { main } from "../cli/src/main.ts";

/** `tollgate dev` from the sources, for this time only. `npm run dev -- --help` has its options. */
await main(["dev", "--ephemeral", ...process.argv.slice(2)]);
