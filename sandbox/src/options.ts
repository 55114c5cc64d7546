import { parseArgs } from "node:util";
import type { Algorithm } from "./keys.ts";

export interface Options {
  readonly host: string;
  readonly port: number;
  /** Port of the card page, which has its own origin. */
  readonly cardPort: number;
  readonly dataFolder: string;
  readonly partnerId: string;
  readonly gatewayPublicKeyFile: string;
  /** The algorithm of the key pair that is created at the first start. */
  readonly algorithm: Algorithm;
  readonly publicUrl: string | undefined;
  readonly cardPublicUrl: string | undefined;
  readonly controlSecretFile: string | undefined;
  /** Whether the page at `/` lists all orders to every visitor. */
  readonly listsOrders: boolean;
  /** The origin whose pages may show the wallet's pages in a frame. */
  readonly framedBy: string | undefined;
  /** The address of a demo point of sale for trying the wallet. */
  readonly tillUrl: string | undefined;
  readonly callbackGapsMs: readonly number[];
}

const usage = `The sandbox wallet.

  node sandbox/src/main.ts --data FOLDER --partner-id ID --gateway-public-key FILE

  --port N                    port of the wallet (default 0: a free port)
  --card-port N               port of the card page, an origin of its own (default 0: a free port)
  --host ADDRESS              address to listen on (default 127.0.0.1, this machine only)
  --data FOLDER               folder of keys and journal; created if it is missing
  --partner-id ID             client id in both directions
  --gateway-public-key FILE   the gateway's public key, PEM
  --algorithm NAME            algorithm of the key pair of the first start: RSA256 or Ed25519 (default)
  --public-url URL            address of the pages for buyers (default: the wallet's own address)
  --card-public-url URL       address of the card page for buyers (default: its own address)
  --control-secret-file FILE  secret of the control interface (default: a new secret at every start)
  --list-orders               list all orders at /; every visitor can pay them
  --framed-by ORIGIN          pages of this origin, such as a point of sale's, may show ours in a frame
  --till-url URL              a demo point of sale; with --list-orders the page at / has a link to it
  --callback-gaps-ms A,B,…    gaps before each attempt of a callback; the last one repeats
`;

const callbackGapsDefault = "0,1000,2000,5000,10000,30000,60000";

/** Reads the command line, or throws with an error message. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      host: { type: "string", default: "127.0.0.1" },
      port: { type: "string", default: "0" },
      "card-port": { type: "string", default: "0" },
      data: { type: "string" },
      "partner-id": { type: "string" },
      "gateway-public-key": { type: "string" },
      algorithm: { type: "string", default: "Ed25519" },
      "public-url": { type: "string" },
      "card-public-url": { type: "string" },
      "control-secret-file": { type: "string" },
      "list-orders": { type: "boolean", default: false },
      "framed-by": { type: "string" },
      "till-url": { type: "string" },
      "callback-gaps-ms": { type: "string", default: callbackGapsDefault },
    },
  });
  const port = parsePort(values.port, "port");
  const callbackGapsMs = values["callback-gaps-ms"].split(",").map(Number);
  if (!callbackGapsMs.every((gap) => Number.isInteger(gap) && gap >= 0))
    throw new Error("--callback-gaps-ms must be a list of milliseconds.");
  const { algorithm } = values;
  if (algorithm !== "Ed25519" && algorithm !== "RSA256") throw new Error("--algorithm is Ed25519 or RSA256.");
  return {
    host: values.host,
    port,
    cardPort: parsePort(values["card-port"], "card-port"),
    dataFolder: required(values.data),
    partnerId: required(values["partner-id"]),
    gatewayPublicKeyFile: required(values["gateway-public-key"]),
    algorithm,
    publicUrl: values["public-url"]?.replace(/\/+$/, ""),
    cardPublicUrl: values["card-public-url"]?.replace(/\/+$/, ""),
    controlSecretFile: values["control-secret-file"],
    listsOrders: values["list-orders"],
    framedBy: values["framed-by"] === undefined ? undefined : parseOrigin("framed-by", values["framed-by"]),
    tillUrl: values["till-url"] === undefined ? undefined : parseOrigin("till-url", values["till-url"]),
    callbackGapsMs,
  };
}

function parsePort(text: string, option: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--${option} must be a number up to 65535.`);
  return port;
}

function parseOrigin(option: string, url: string): string {
  const { protocol = "", origin = "" } = URL.parse(url) ?? {};
  if (!/^https?:$/.test(protocol))
    throw new Error(`--${option} must be an origin, such as http://127.0.0.1:8491.`);
  return origin;
}

function required(value: string | undefined): string {
  if (!value) throw new Error(usage);
  return value;
}
