import { parseArgs } from "node:util";
import type { Algorithm } from "./keys.ts";

export interface Options {
  readonly host: string;
  readonly port: number;
  /** Port of the page that takes cards: an origin of its own. */
  readonly cardPort: number;
  readonly dataFolder: string;
  readonly partnerId: string;
  readonly gatewayPublicKeyFile: string;
  /** The kind of the key pair that is made at the first start. */
  readonly algorithm: Algorithm;
  readonly publicUrl: string | undefined;
  readonly cardPublicUrl: string | undefined;
  readonly controlSecretFile: string | undefined;
  /** Whether the page at `/` lists all orders, for whoever opens it. */
  readonly listsOrders: boolean;
  /** The origin whose pages may show ours inside themselves. */
  readonly framedBy: string | undefined;
  /** A till to try the wallet with. */
  readonly tillUrl: string | undefined;
  readonly callbackGapsMs: readonly number[];
}

const usage = `The sandbox wallet.

  node sandbox/src/main.ts --data FOLDER --partner-id ID --gateway-public-key FILE

  --port N                    where to listen; 0, the default, takes a free one
  --card-port N               where the page for cards listens, an origin of its own; 0, the default, takes a free one
  --host ADDRESS              on which address; 127.0.0.1, the default, is this machine only
  --data FOLDER               keys and journal; made if it is not there
  --partner-id ID             how the gateway and the wallet call each other
  --gateway-public-key FILE   what the gateway's messages are verified with, in PEM form
  --algorithm NAME            Ed25519, the default, or RSA256: of the key pair made at the first start
  --public-url URL            how buyers reach the wallet's pages, if not at its own address
  --card-public-url URL       how buyers reach the page for cards, if not at its own address
  --control-secret-file FILE  what control asks for; otherwise a new secret at every start
  --list-orders               the page at / lists all orders, to be paid by whoever opens it
  --framed-by ORIGIN          pages of this origin, such as a till's, may show ours inside themselves
  --till-url URL              a till to try the wallet with; with --list-orders the page at / leads there
  --callback-gaps-ms A,B,…    waits before each attempt of a callback; the last one repeats
`;

const callbackGapsDefault = "0,1000,2000,5000,10000,30000,60000";

/** Reads the command line, or throws with what is wrong about it. */
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
  const port = portIn(values.port, "port");
  const callbackGapsMs = values["callback-gaps-ms"].split(",").map(Number);
  if (!callbackGapsMs.every((gap) => Number.isInteger(gap) && gap >= 0))
    throw new Error("--callback-gaps-ms is a list of milliseconds.");
  const { algorithm } = values;
  if (algorithm !== "Ed25519" && algorithm !== "RSA256") throw new Error("--algorithm is Ed25519 or RSA256.");
  return {
    host: values.host,
    port,
    cardPort: portIn(values["card-port"], "card-port"),
    dataFolder: required(values.data),
    partnerId: required(values["partner-id"]),
    gatewayPublicKeyFile: required(values["gateway-public-key"]),
    algorithm,
    publicUrl: values["public-url"]?.replace(/\/+$/, ""),
    cardPublicUrl: values["card-public-url"]?.replace(/\/+$/, ""),
    controlSecretFile: values["control-secret-file"],
    listsOrders: values["list-orders"],
    framedBy: values["framed-by"] === undefined ? undefined : originIn("framed-by", values["framed-by"]),
    tillUrl: values["till-url"] === undefined ? undefined : originIn("till-url", values["till-url"]),
    callbackGapsMs,
  };
}

function portIn(text: string, option: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--${option} is a number up to 65535.`);
  return port;
}

function originIn(option: string, url: string): string {
  const { protocol = "", origin = "" } = URL.parse(url) ?? {};
  if (!/^https?:$/.test(protocol))
    throw new Error(`--${option} is an origin, such as http://127.0.0.1:8491.`);
  return origin;
}

function required(value: string | undefined): string {
  if (!value) throw new Error(usage);
  return value;
}
