import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { buildPortalOnce } from "./build-portal.ts";
import { buildKeys } from "./key-actions.ts";
import { formatWelcome } from "./ready.ts";
import type { Ready } from "../running-file.ts";

const root = await mkdtemp(join(tmpdir(), "tollgate-portal-"));
after(() => rm(root, { recursive: true }));

/** Creates a checkout in which the given program builds the portal. */
async function createCheckout(name: string, program: string): Promise<string> {
  const checkout = join(root, name);
  await mkdir(join(checkout, "portal/build"), { recursive: true });
  await writeFile(join(checkout, "portal/build/build-portal.ts"), program);
  return checkout;
}

const building = `import { mkdirSync, writeFileSync } from "node:fs";
const folder = import.meta.dirname + "/../dist";
mkdirSync(folder);
writeFileSync(folder + "/index.html", "built");`;

test("a checkout builds its portal at the first start only", async () => {
  const checkout = await createCheckout("checkout", building);
  const steps: string[] = [];
  for (let start = 0; start < 2; start += 1) await buildPortalOnce(checkout, (step) => steps.push(step));
  assert.equal(await readFile(join(checkout, "portal/dist/index.html"), "utf8"), "built");
  assert.deepEqual(steps, ["building the portal (only at the first start)"]);
});

test("a failed portal build is reported in one line, and the other parts start", async () => {
  const failing = `throw new Error("Cannot find package 'vite'");`;
  const checkout = await createCheckout("broken", failing);
  const steps: string[] = [];
  await buildPortalOnce(checkout, (step) => steps.push(step));
  assert.deepEqual(steps.slice(1), [
    "no portal, because the build failed: Error: Cannot find package 'vite'. Run npm ci, then npm run build -w portal.",
  ]);
});

test("the package contains its portal, and no tools to build it", async () => {
  const steps: string[] = [];
  await buildPortalOnce(join(root, "package"), (step) => steps.push(step));
  assert.deepEqual(steps, []);
});

const keyFiles = await Promise.all(
  Object.entries(generateKeyPairSync("rsa", { modulusLength: 2048 })).map(async ([half, key]) => {
    const path = join(root, `${half}.pem`);
    await writeFile(path, key.export({ type: half === "publicKey" ? "spki" : "pkcs8", format: "pem" }));
    return [half, path] as const;
  }),
);
const { publicKey = "", privateKey = "" } = Object.fromEntries(keyFiles);
const ready = {
  baseUrl: "http://127.0.0.1:8484",
  shopUrl: "http://127.0.0.1:8486",
  walletUrl: "http://127.0.0.1:8485",
  merchantPrivateKeyFile: privateKey,
  gatewayPublicKeyFile: publicKey,
  clientId: "SANDBOX_5Y0000000000000A",
  keyVersion: 1,
  controlSecret: "secret",
} as Ready;

for (const portalUrl of ["http://127.0.0.1:8487/developer#secret", undefined])
  test(`the key w is ${portalUrl ? "" : "not "}offered ${portalUrl ? "with" : "without"} a portal`, async () => {
    const settings = { ...ready, ...(portalUrl !== undefined && { portalUrl }) };
    const lines: string[] = [];
    const keys = buildKeys(settings, { show: (line) => lines.push(line), requestStop: () => undefined });
    await keys["?"]?.press();
    const isOffered = [
      formatWelcome(settings, undefined, true).includes("w opens the portal"),
      lines.some((line) => line.includes("open the portal")),
      Object.hasOwn(keys, "w"),
    ];
    assert.deepEqual(
      isOffered,
      Array.from({ length: 3 }, () => portalUrl !== undefined),
    );
  });

test("the welcome text for a folder of another name pays with --folder", () => {
  const home = {
    folder: "/home/me/kept",
    envFile: "/home/me/kept/.env",
    hasOtherEnv: false,
    isIgnoredByGit: true,
  };
  assert.match(formatWelcome(ready, home, true), /^ {4}npx --no tollgate pay --folder \/home\/me\/kept$/m);
});
