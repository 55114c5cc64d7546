import { EventEmitter } from "node:events";
import { parseArgs } from "node:util";
import { Tollgate } from "../../clients/typescript/src/generated/package.ts";
import { newCalls } from "./calls.ts";
import { coffeeLab } from "./requests.ts";
import { openSaleBook } from "./sale-book.ts";
import { openSalesFile } from "./sales-file.ts";
import { newTillServer } from "./server.ts";
import { resume, type Till } from "./till.ts";

/**
 * A till. This process holds the key, and finds the gateway by the settings of the client library (TOLLGATE_BASE_URL and so
 * on); the page only talks to it. It prints one line when it listens, and runs until a signal ends it.
 */
const { values } = parseArgs({
  options: {
    host: { type: "string", default: "127.0.0.1" },
    port: { type: "string", default: "8490" },
    /** The file of its sales: a till that was killed goes on where it was. */
    data: { type: "string", default: "till-sales.jsonl" },
    /** Where buyers find the pages behind the stickers; its own address unless said otherwise. */
    "public-url": { type: "string" },
    /** Where the gateway tells it, such as a proxy's address; its own address unless said otherwise. */
    "notify-url": { type: "string" },
    /** A sandbox wallet, to be shown beside the till at /side. */
    "wallet-url": { type: "string" },
    currency: { type: "string", default: "EUR" },
    /** Which wallet pays what the till shows. */
    method: { type: "string", default: "GCASH" },
    /** How long a buyer has to pay what is shown. */
    "pay-within-seconds": { type: "string", default: "180" },
    /** 0.1 makes its pauses ten times shorter, for tests. */
    pace: { type: "string", default: "1" },
  },
});

const log = (message: string): void => void process.stderr.write(`till: ${message}\n`);
const ownUrl = `http://127.0.0.1:${values.port}`;
const events = new EventEmitter({ captureRejections: false }).setMaxListeners(0);
const calls = newCalls((call) => events.emit("call", call));
const file = openSalesFile(values.data);
const till: Till = {
  // An unsigned "no" could come from anybody on the way, and after it nobody would ask what became of the money.
  client: new Tollgate({
    transport: calls.transport,
    allowUnsignedRefusals: false,
    appInfo: { name: "till" },
  }),
  calls,
  book: openSaleBook(file, () => events.emit("change")),
  shop: {
    ...coffeeLab,
    method: values.method,
    payWithinMs: Number(values["pay-within-seconds"]) * 1_000,
    // This machine's own address, wherever buyers come from.
    notifyUrl: values["notify-url"] ?? `${ownUrl}/notifications`,
  },
  currency: values.currency,
  pace: Number(values.pace),
  log,
  running: new Map(),
  shownId: undefined,
};
const publicUrl = values["public-url"] ?? ownUrl;
const server = newTillServer({ till, events, publicUrl, walletUrl: values["wallet-url"] });

server.listen(Number(values.port), values.host, () => {
  resume(till);
  process.stdout.write(`ready ${ownUrl}\n`);
});
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.once(signal, () => {
    server.close(() => {
      file.close();
      process.exit(0);
    });
    // Pages that are watched would keep it waiting.
    server.closeAllConnections();
  });
