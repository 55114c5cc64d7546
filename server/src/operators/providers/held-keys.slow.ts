import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { newOperatorProcess } from "../../../test/start/operator-process.ts";
import {
  isResponseSigned,
  newMerchant,
  pathOf,
  prepareTestGateway,
  type ReceivedAnswer,
} from "../../../test/start/test-gateway.ts";
import { eventually, waitForLine, startTestProcess } from "../../../test/start/test-process.ts";
import {
  callPayments,
  connectTestProvider,
  gatewayProcesses,
  payRequest,
} from "../../../test/start/test-stack.ts";

/**
 * These tests use keys in an HSM through PKCS#11: SoftHSM with key pairs that `pkcs11-tool` created, as an operator
 * would do.
 */
const module = "/usr/lib/softhsm/libsofthsm2.so";
const isInstalled = existsSync(module) && existsSync("/usr/bin/pkcs11-tool");
const skip = isInstalled ? false : "softhsm2 and opensc are not installed";
const run = promisify(execFile);
const label = "tollgate-2";

test(
  "an HSM signs for merchants and connectors, and the database has no private key of that version",
  { skip },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-hsm-"));
    after(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, "tokens"));
    writeFileSync(join(folder, "softhsm.conf"), `directories.tokendir = ${join(folder, "tokens")}\n`);
    writeFileSync(join(folder, "pin"), "1234\n", { mode: 0o400 });
    const env = { ...process.env, SOFTHSM2_CONF: join(folder, "softhsm.conf") };
    const token = ["--label", "tollgate", "--pin", "1234", "--so-pin", "5678"];
    await run("softhsm2-util", ["--init-token", "--free", ...token], { env });
    const tool = (...args: readonly string[]): Promise<unknown> =>
      run(
        "pkcs11-tool",
        ["--module", module, "--token-label", "tollgate", "--login", "--pin", "1234", ...args],
        { env },
      );
    await tool("--keypairgen", "--key-type", "rsa:2048", "--label", label, "--id", "01");
    await tool("--keypairgen", "--key-type", "EC:edwards25519", "--label", `${label}-ed25519`, "--id", "02");
    for (const name of [label, `${label}-ed25519`])
      await tool("--read-object", "--type", "pubkey", "--label", name, "--output-file", join(folder, name));
    const rsaFile = join(folder, "rsa.pem");
    const rsa = createPublicKey({ key: readFileSync(join(folder, label)), format: "der", type: "spki" });
    writeFileSync(rsaFile, rsa.export({ format: "pem", type: "spki" }));

    const addOn = join(folder, "pkcs11.node");
    const builder = fileURLToPath(new URL("../../../../scripts/build-pkcs11.ts", import.meta.url));
    await run(process.execPath, [builder, addOn]);

    const { database, variables, operatorVariables } = await prepareTestGateway("sandbox");
    const commands = newOperatorProcess(operatorVariables);
    const halves = ["--public-key", rsaFile, "--ed25519-public-key", join(folder, `${label}-ed25519`)];
    const added = await commands.jsonOf("gateway-key add", "--held-as", label, ...halves);
    assert.deepEqual(added, { version: 2 });
    // New merchants and connectors are pinned to the newest key.
    const merchant = await newMerchant(database);
    const provider = await connectTestProvider(database);
    const stack = await gatewayProcesses(database, variables);
    const signerVariables = { TOLLGATE_SIGNER_SOCKET: join(folder, "signer") };
    const signer = startTestProcess(["server/src/main.ts", "signer"], {
      ...stack.variables,
      ...signerVariables,
      SOFTHSM2_CONF: env.SOFTHSM2_CONF,
      TOLLGATE_PKCS11_MODULE: module,
      TOLLGATE_PKCS11_ADD_ON: addOn,
      TOLLGATE_PKCS11_TOKEN: "tollgate",
      TOLLGATE_PKCS11_PIN_FILE: join(folder, "pin"),
    });
    await waitForLine(signer, /^Tollgate signs/);

    const { url } = await stack.serve({
      isPublic: true,
      variables: { ...signerVariables, TOLLGATE_KEY_FILE: "" },
    });
    const pay = (at: number): Promise<ReceivedAnswer> =>
      callPayments(url, merchant, "pay", payRequest(`hsm-${at}`));
    for (const answer of await Promise.all(Array.from({ length: 8 }, (_, at) => pay(at)))) {
      assert.ok(isResponseSigned(answer, pathOf("sandbox", "payments/pay"), rsa), answer.text);
      // If the provider accepts the order, the signature was valid.
      await eventually(
        20_000,
        () => provider.control(String(answer.json["paymentId"]), "approve"),
        ({ status }) => status === 200,
      );
    }
    const { stdout } = await commands.run("preflight");
    assert.match(stdout, /Gateway key 2 is held elsewhere, as tollgate-2/);
  },
);
