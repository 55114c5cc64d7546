import { applyOnce, Tollgate } from "@tollgate/client";
import { inTransaction, settle } from "./shop.ts";

const client = new Tollgate({ environment: "sandbox" });

// Where you stopped, from your own database. `follow: true` waits at the end for what comes next.
let cursor = process.env["CURSOR"];
for await (const event of client.tollgate.events({ from: cursor })) {
  const outcome = await inTransaction((database) =>
    applyOnce(database, event, () => settle(database, event)),
  );
  ({ cursor } = event);
  console.log(cursor, event.subject, outcome);
}
