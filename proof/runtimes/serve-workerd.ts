import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `node proof/runtimes/serve-workerd.ts BINARY SCRIPT PORT`: runs one worker, which may also call this machine. */
const [binary = "", script = "", port = ""] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "tollgate-workerd-"));
const settings = `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .shop),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);

const shop :Workerd.Worker = (
  serviceWorkerScript = embed "shop.js",
  compatibilityDate = "2026-01-01",
);
`;
writeFileSync(join(folder, "shop.capnp"), settings);
copyFileSync(script, join(folder, "shop.js"));

const server = spawn(binary, ["serve", join(folder, "shop.capnp")], { stdio: "inherit" });
process.once("SIGTERM", () => void server.kill("SIGTERM"));
server.once("exit", (code) => {
  rmSync(folder, { recursive: true });
  process.exit(code ?? 0);
});
