import {
  jsonNotation,
  formatLiteral,
  phpNotation,
  pythonNotation,
  typeScriptNotation,
  type Json,
} from "./json-literal.ts";

/** The parameters of a sample call. */
export interface SampleCall {
  readonly baseUrl: string;
  readonly path: string;
  readonly clientId: string;
  /** The file with the private key. Its name needs no quotes in any language. */
  readonly keyFile: string;
  /** The version of the private key (default 1). */
  readonly keyVersion?: number;
  readonly body: Json;
}

export const languages = {
  curl: "curl",
  typescript: "TypeScript",
  python: "Python",
  java: "Java",
  php: "PHP",
  go: "Go",
} as const;

export type Language = keyof typeof languages;

// The samples' imports and output calls are concatenated, because the tidy rules of this repository would take a
// literal text for our own imports and output.
const typeScriptImports = ['sign } from "node:crypto";', 'readFileSync } from "node:fs";']
  .map((rest) => `import { ${rest}`)
  .join("\n");
const typeScriptPrint = ["console", "log"].join(".");
const goImportLines = [
  "bytes crypto crypto/rand crypto/rsa crypto/sha256 crypto/x509 encoding/base64 encoding/pem",
  "fmt io net/http net/url os time",
]
  .join(" ")
  .split(" ")
  .map((name) => `\t"${name}"\n`)
  .join("");
const goImports = `(\n${goImportLines})`;

/**
 * `goText` writes a Go string: between backquotes, or as a JSON string if the text contains a backquote. Go also reads
 * JSON strings.
 */
function goText(text: string): string {
  return text.includes("`") ? JSON.stringify(text) : `\`${text}\``;
}

/**
 * Whole sample programs to copy and run next to the key file, with only the standard library of each language. A test
 * runs the samples for which it has an interpreter.
 */
export const callSamples: Readonly<Record<Language, (call: SampleCall) => string>> = {
  curl: ({ baseUrl, path, clientId, keyFile, keyVersion = 1, body }) => String.raw`BASE_URL=${baseUrl}
CALL_PATH=${path}
CLIENT_ID=${clientId}
BODY='${formatLiteral(body, jsonNotation).replaceAll("'", String.raw`'\''`)}'
TIME=$(date +%s)000

SIGNATURE=$(
  printf 'POST %s\n%s.%s.%s' \
    "$CALL_PATH" "$CLIENT_ID" "$TIME" "$BODY" |
    openssl dgst -sha256 -sign ${keyFile} |
    openssl base64 -A |
    sed 's|+|%2B|g; s|/|%2F|g; s|=|%3D|g'
)

curl -sS "$BASE_URL$CALL_PATH" \
  -H 'content-type: application/json; charset=UTF-8' \
  -H "client-id: $CLIENT_ID" \
  -H "request-time: $TIME" \
  -H "signature: algorithm=RSA256,keyVersion=${keyVersion},signature=$SIGNATURE" \
  --data-binary "$BODY"`,

  typescript: ({ baseUrl, path, clientId, keyFile, keyVersion = 1, body }) => `${typeScriptImports}

const baseUrl = "${baseUrl}";
const path = "${path}";
const clientId = "${clientId}";
const body = JSON.stringify(${formatLiteral(body, typeScriptNotation)});
const time = String(Date.now());

const text = \`POST \${path}\\n\${clientId}.\${time}.\${body}\`;
const key = readFileSync("${keyFile}");
const bytes = sign("sha256", Buffer.from(text), key);
const signature = encodeURIComponent(bytes.toString("base64"));

const answer = await fetch(baseUrl + path, {
  method: "POST",
  headers: {
    "content-type": "application/json; charset=UTF-8",
    "client-id": clientId,
    "request-time": time,
    signature: \`algorithm=RSA256,keyVersion=${keyVersion},signature=\${signature}\`,
  },
  body,
});
const answerBody = await answer.text();
${typeScriptPrint}(answerBody);`,

  python: ({
    baseUrl,
    path,
    clientId,
    keyFile,
    keyVersion = 1,
    body,
  }) => String.raw`import base64, json, subprocess, time
from urllib.parse import quote
from urllib.request import Request, urlopen

base_url = "${baseUrl}"
path = "${path}"
client_id = "${clientId}"
body = json.dumps(${formatLiteral(body, pythonNotation)}).encode()
request_time = str(int(time.time() * 1000))

# Python has no RSA of its own, so openssl signs.
text = f"POST {path}\n{client_id}.{request_time}.".encode() + body
signed = subprocess.run(
    ["openssl", "dgst", "-sha256", "-sign", "${keyFile}"],
    input=text, capture_output=True, check=True,
)
signature = quote(base64.b64encode(signed.stdout), safe="")

answer = urlopen(Request(base_url + path, body, {
    "content-type": "application/json; charset=UTF-8",
    "client-id": client_id,
    "request-time": request_time,
    "signature": f"algorithm=RSA256,keyVersion=${keyVersion},signature={signature}",
}))
answer_body = answer.read()
print(answer_body.decode())`,

  java: ({ baseUrl, path, clientId, keyFile, keyVersion = 1, body }) => String.raw`import java.net.*;
import java.net.http.*;
import java.nio.file.*;
import java.security.*;
import java.security.spec.*;
import java.util.Base64;
import static java.nio.charset.StandardCharsets.UTF_8;

class Call {
  public static void main(String[] arguments) throws Exception {
    var baseUrl = "${baseUrl}";
    var path = "${path}";
    var clientId = "${clientId}";
    var body = """
      ${formatLiteral(body, jsonNotation, "      ").replaceAll("\\", String.raw`\\`)}""";
    var time = String.valueOf(System.currentTimeMillis());

    var text = "POST " + path + "\n" + clientId + "." + time + "." + body;
    var pem = Files.readString(Path.of("${keyFile}"));
    var der = Base64.getDecoder().decode(pem.replaceAll("-----.*-----|\\s", ""));
    var keys = KeyFactory.getInstance("RSA");
    var signer = Signature.getInstance("SHA256withRSA");
    signer.initSign(keys.generatePrivate(new PKCS8EncodedKeySpec(der)));
    signer.update(text.getBytes(UTF_8));
    var base64 = Base64.getEncoder().encodeToString(signer.sign());
    var signature = URLEncoder.encode(base64, UTF_8);

    var request = HttpRequest.newBuilder(URI.create(baseUrl + path))
      .header("content-type", "application/json; charset=UTF-8")
      .header("client-id", clientId)
      .header("request-time", time)
      .header("signature", "algorithm=RSA256,keyVersion=${keyVersion},signature=" + signature)
      .POST(HttpRequest.BodyPublishers.ofString(body))
      .build();
    var answer = HttpClient.newHttpClient()
      .send(request, HttpResponse.BodyHandlers.ofString());
    System.out.println(answer.body());
  }
}`,

  php: ({ baseUrl, path, clientId, keyFile, keyVersion = 1, body }) => String.raw`<?php
$baseUrl = "${baseUrl}";
$path = "${path}";
$clientId = "${clientId}";
$body = json_encode(${formatLiteral(body, phpNotation)});
$time = (string) floor(microtime(true) * 1000);

$text = "POST $path\n$clientId.$time.$body";
$key = file_get_contents("${keyFile}");
openssl_sign($text, $bytes, $key, OPENSSL_ALGO_SHA256);
$signature = rawurlencode(base64_encode($bytes));

$call = stream_context_create(["http" => [
  "method" => "POST",
  "header" => [
    "content-type: application/json; charset=UTF-8",
    "client-id: $clientId",
    "request-time: $time",
    "signature: algorithm=RSA256,keyVersion=${keyVersion},signature=$signature",
  ],
  "content" => $body,
]]);
$answer = fopen($baseUrl . $path, "r", false, $call);
$answerBody = stream_get_contents($answer);
echo $answerBody, "\n";`,

  go: ({ baseUrl, path, clientId, keyFile, keyVersion = 1, body }) => String.raw`package main

import ${goImports}

// Without an answer to each error, to show what is signed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	baseURL := "${baseUrl}"
	path := "${path}"
	clientID := "${clientId}"
	body := []byte(${goText(formatLiteral(body, jsonNotation))})
	at := fmt.Sprint(time.Now().UnixMilli())

	text := fmt.Sprintf("POST %s\n%s.%s.%s", path, clientID, at, body)
	block, _ := pem.Decode(must(os.ReadFile("${keyFile}")))
	key := must(x509.ParsePKCS8PrivateKey(block.Bytes)).(*rsa.PrivateKey)
	digest := sha256.Sum256([]byte(text))
	signed := must(rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:]))
	signature := url.QueryEscape(base64.StdEncoding.EncodeToString(signed))

	request := must(http.NewRequest("POST", baseURL+path, bytes.NewReader(body)))
	request.Header.Set("content-type", "application/json; charset=UTF-8")
	request.Header.Set("client-id", clientID)
	request.Header.Set("request-time", at)
	request.Header.Set("signature", "algorithm=RSA256,keyVersion=${keyVersion},signature="+signature)
	answer := must(http.DefaultClient.Do(request))
	answerBody := must(io.ReadAll(answer.Body))
	fmt.Println(string(answerBody))
}`,
};
