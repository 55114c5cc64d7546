import { EventEmitter } from "node:events";
import { parseArgs } from "node:util";
import { Tollgate } from "../../clients/typescript/src/generated/package.ts";
import { createRequestLog } from "./request-log.ts";
import { coffeeLab } from "./requests.ts";
import { openSaleStore } from "./sale-store.ts";
import { openSalesFile } from "./sales-file.ts";
import { newTillServer } from "./server.ts";
import { resume, type Till } from "./till.ts";

/**
 * A point of sale. This process has the private key, and finds the gateway by the settings of the client library
 * (TOLLGATE_BASE_URL and so on); the page only talks to this process. It prints one line when it listens, and runs
 * until a signal ends it.
 */
const { values } = parseArgs({
  options: {
    host: { type: "string", default: "127.0.0.1" },
    port: { type: "string", default: "8490" },
    /** The file with the sales of this point of sale. After a crash it continues with these sales. */
    data: { type: "string", default: "till-sales.jsonl" },
    /** Public address of the pages behind the stickers (default: the address of this process). */
    "public-url": { type: "string" },
    /** Public address for webhooks, such as that of a proxy (default: the address of this process). */
    "notify-url": { type: "string" },
    /** A sandbox provider to show next to the point of sale at /side. */
    "wallet-url": { type: "string" },
    currency: { type: "string", default: "EUR" },
    /** The payment method of codes on the screen. */
    method: { type: "string", default: "GCASH" },
    /** The time that a buyer has to pay a code on the screen. */
    "pay-within-seconds": { type: "string", default: "180" },
    /** Factor for all pauses between requests: 0.1 makes them ten times shorter, for tests. */
    pace: { type: "string", default: "1" },
  },
});

const log = (message: string): void => void process.stderr.write(`till: ${message}\n`);
const ownUrl = `http://127.0.0.1:${values.port}`;
const events = new EventEmitter({ captureRejections: false }).setMaxListeners(0);
const requestLog = createRequestLog((call) => events.emit("call", call));
const salesFile = openSalesFile(values.data);
const till: Till = {
  // A response with an invalid signature could come from an attacker. If it were accepted as a rejection, the outcome
  // would never be checked.
  client: new Tollgate({
    transport: requestLog.transport,
    allowUnsignedRefusals: false,
    appInfo: { name: "till" },
  }),
  requestLog,
  saleStore: openSaleStore(salesFile, () => events.emit("change")),
  shop: {
    ...coffeeLab,
    method: values.method,
    payWithinMs: Number(values["pay-within-seconds"]) * 1_000,
    // Webhooks go to this machine's own address by default, whatever the public address of the pages is.
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
      salesFile.close();
      process.exit(0);
    });
    // All connections are closed, because open event streams of pages would delay the exit.
    server.closeAllConnections();
  });
