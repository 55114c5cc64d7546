import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Tollgate } from "../../clients/typescript/src/tollgate.ts";
import { openOrderStore } from "./shop/order-store.ts";
import { createShopServer } from "./shop/server.ts";
import { createWatchers } from "./shop/watchers.ts";

/**
 * The demo shop as a separate program, like a merchant's. It reads the settings of the client libraries, prints one
 * line when it listens, and runs until a signal stops it.
 */
const { values } = parseArgs({
  options: {
    host: { type: "string", default: "127.0.0.1" },
    port: { type: "string", default: "0" },
    /** The file of its database. */
    data: { type: "string", default: ":memory:" },
    /** Its address for buyers. */
    "public-url": { type: "string", default: "" },
    /** The origin of the gateway's pages. */
    "pages-at": { type: "string", default: "" },
  },
});

const log = (message: string): void => void process.stderr.write(`shop: ${message}\n`);
const client = new Tollgate({
  privateKey: readKeySetting("TOLLGATE_PRIVATE_KEY"),
  gatewayPublicKeys: readKeySetting("TOLLGATE_GATEWAY_PUBLIC_KEY"),
  appInfo: { name: "demo-shop" },
});
const orderStore = openOrderStore(values.data);
const watchers = createWatchers((orderId) => orderStore.listSteps(orderId).length);
const shop = {
  client,
  orderStore,
  shopUrl: values["public-url"],
  // Webhooks use the loopback address, also if buyers reach the shop under another address, because the gateway's
  // egress permits no other local address.
  notifyUrl: `http://127.0.0.1:${values.port}/notifications`,
  onChange: watchers.notify,
};
const server = createShopServer({ shop, watchers, gatewayPageOrigin: values["pages-at"], log });

server.listen(Number(values.port), values.host, () => process.stdout.write("ready\n"));
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.once(signal, () => {
    server.close(() => {
      orderStore.close();
      process.exit(0);
    });
    // The shop closes all connections, because open pages with server-sent events would delay the stop.
    server.closeAllConnections();
  });

/**
 * Returns the value of the variable, or else the contents of the file that the variable with the suffix `_FILE` names.
 */
function readKeySetting(name: string): string | undefined {
  const file = process.env[`${name}_FILE`];
  return process.env[name] || (file ? readFileSync(file, "utf8") : undefined);
}
