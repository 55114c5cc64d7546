import { appendFileSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { signatureHolds } from "../../clients/typescript/src/signing.ts";

/**
 * A merchant's webhook receiver that writes every webhook to disk before it acknowledges: node proof/storm/receiver.ts
 * PORT PUBLIC-KEY-FILE RECEIPTS-FILE. A line contains the notification id, its time, and whether its signature is
 * valid.
 */
const [port = "", publicKeyFile = "", receiptsFile = ""] = process.argv.slice(2);
const publicKey = readFileSync(publicKeyFile, "utf8");
const receipts = openSync(receiptsFile, "a");
const acknowledgement = JSON.stringify({
  result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success" },
});

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    const { signature = "", "client-id": clientId = "", "request-time": time = "" } = request.headers;
    const message = { path: request.url ?? "", clientId: String(clientId), time: String(time), body };
    const isValid = signatureHolds(message, String(signature), publicKey);
    const { notificationId } = JSON.parse(body.toString("utf8")) as { notificationId: string };
    appendFileSync(receipts, `${notificationId} ${Date.now()} ${isValid ? "signed" : "unsigned"}\n`);
    response.end(acknowledgement);
  });
}).listen(Number(port), "127.0.0.1", () => process.stdout.write("receiving\n"));
