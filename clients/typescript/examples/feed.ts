import { applyOnce, Tollgate } from "@tollgate/client";
import { inTransaction } from "./shop.ts";

const client = new Tollgate({ environment: "sandbox" });

// The cursor of the last applied event, from your own database. With `follow: true` the loop waits at the end
// of the feed for new events.
let cursor = process.env["CURSOR"];
for await (const event of client.tollgate.events({ from: cursor })) {
  const outcome = await inTransaction((database) =>
    // Update your order here, as `settle` does, and store the cursor in the same transaction.
    applyOnce(database, event, () => console.log("applied:", event.kind)),
  );
  ({ cursor } = event);
  console.log(cursor, event.subject, outcome);
}
