import assert from "node:assert/strict";
import { after, test } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../test/start/test-gateway.ts";
import {
  requestConsole,
  resultCodeOf,
  consoleVariables,
  personToken,
} from "../../test/start/test-console.ts";
import { serve } from "../processes/serve.ts";
import { readSettings } from "../settings/settings.ts";
import { sha256 } from "../core/digest.ts";
import { logoBytesMax } from "./brand.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const { clientId } = await newMerchant(database);
const serving = await serve(readSettings({ ...variables, ...consoleVariables }));
after(() => serving.stop());

async function ask(path: string, body: object): Promise<object> {
  const token = personToken({ clientIds: [clientId] });
  const answer = await requestConsole(serving.url, path, { token, body });
  assert.equal(resultCodeOf(answer), "SUCCESS", answer.text);
  const { result: _, ...fields } = answer.json;
  return fields;
}

const change = (request: object): Promise<object> => ask("acts/changeBrand", { request });
const viewBrand = (): Promise<object> => ask("views/brand", {});

/** A logo of the maximum size, to check that it is returned completely. */
const logo = Buffer.concat([
  Buffer.from("\u0089PNG\r\n\u001a\n", "latin1"),
  Buffer.alloc(logoBytesMax - 8, "picture"),
]).toString("base64");

test("people see the parts that are set, including the picture, and no others", async () => {
  assert.deepEqual(await viewBrand(), {});
  await change({ colour: "#0B6B3E", logo });
  assert.deepEqual(await viewBrand(), { colour: "#0b6b3e", logoType: "image/png", logo });
  // Buyers follow the complete URL, so the view shows people its query as well.
  const supportUrl = "https://shop.example/help?from=checkout";
  await change({ supportUrl, remove: ["COLOUR"] });
  assert.deepEqual(await viewBrand(), { logoType: "image/png", logo, supportUrl });
  await change({ remove: ["LOGO", "SUPPORT_URL"] });
  assert.deepEqual(await viewBrand(), {});
});

test("the audit log stores the digest of a logo", async () => {
  await change({ logo });
  const [row] = await asSuperuser<{ readonly after: object }>(
    "select after from audit where act = 'tollgate/changeBrand' order by seq desc limit 1",
    [],
    database.superuserUrl,
  );
  assert.deepEqual(row?.after, { logo: `sha256:${sha256(logo).toString("hex")}` });
});
