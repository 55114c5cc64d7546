import { applyOnce, Tollgate } from "@tollgate/client";
import { inTransaction } from "./shop.ts";

const client = new Tollgate({ environment: "sandbox" });

// Where you stopped, from your own database. `follow: true` waits at the end for what comes next.
let cursor = process.env["CURSOR"];
for await (const event of client.tollgate.events({ from: cursor })) {
  const outcome = await inTransaction((database) =>
    // Here you would write to your order, as `settle` does, and keep the cursor beside it.
    applyOnce(database, event, () => console.log("news:", event.kind)),
  );
  ({ cursor } = event);
  console.log(cursor, event.subject, outcome);
}
