import type { Language } from "./call-samples.ts";

/**
 * Samples that verify a response. Each one continues the request sample of the same language, and uses its variables.
 */
export const verifySamples: Readonly<Record<Language, string>> = {
  curl: String.raw`# Call with: curl … -D headers.txt -o answer.json
header() {
  sed -n "s/^$1: //p" headers.txt | tr -d '\r'
}

header signature |
  sed 's|.*signature=||; s|%2B|+|g; s|%2F|/|g; s|%3D|=|g' |
  openssl base64 -d -A > signature.bin

{
  printf 'POST %s\n%s.%s.' \
    "$CALL_PATH" "$CLIENT_ID" "$(header response-time)"
  cat answer.json
} | openssl dgst -sha256 -verify gateway.pem \
  -signature signature.bin`,

  typescript: `import { verify } from "node:crypto";

const header = answer.headers.get("signature") ?? "";
const [, value = ""] = header.split("signature=");
const answerTime = answer.headers.get("response-time");
const genuine = verify(
  "sha256",
  Buffer.from(\`POST \${path}\\n\${clientId}.\${answerTime}.\${answerBody}\`),
  readFileSync("gateway.pem"),
  Buffer.from(decodeURIComponent(value), "base64"),
);
if (!genuine) throw new Error("This answer is not the gateway's.");`,

  python: String.raw`import pathlib
from urllib.parse import unquote

value = answer.headers["signature"].split("signature=")[1]
file = pathlib.Path("signature.bin")
file.write_bytes(base64.b64decode(unquote(value)))

answer_time = answer.headers["response-time"]
text = f"POST {path}\n{client_id}.{answer_time}.".encode() + answer_body
# Raises if the answer is not the gateway's.
subprocess.run(
    ["openssl", "dgst", "-sha256", "-verify", "gateway.pem",
     "-signature", "signature.bin"],
    input=text, check=True,
)`,

  java: String.raw`    var answerTime = answer.headers().firstValue("response-time").orElseThrow();
    var answerText =
      "POST " + path + "\n" + clientId + "." + answerTime + "." + answer.body();
    var gatewayPem = Files.readString(Path.of("gateway.pem"));
    var gatewayDer = Base64.getDecoder()
      .decode(gatewayPem.replaceAll("-----.*-----|\\s", ""));
    var verifier = Signature.getInstance("SHA256withRSA");
    verifier.initVerify(keys.generatePublic(new X509EncodedKeySpec(gatewayDer)));
    verifier.update(answerText.getBytes(UTF_8));

    var header = answer.headers().firstValue("signature").orElseThrow();
    var value = URLDecoder.decode(header.split("signature=")[1], UTF_8);
    if (!verifier.verify(Base64.getDecoder().decode(value)))
      throw new SecurityException("This answer is not the gateway's.");`,

  php: String.raw`foreach (stream_get_meta_data($answer)["wrapper_data"] as $line) {
  [$name, $value] = explode(": ", $line, 2) + [1 => ""];
  $headers[$name] = $value;
}
$value = explode("signature=", $headers["signature"])[1];
$genuine = openssl_verify(
  "POST $path\n$clientId.{$headers['response-time']}.$answerBody",
  base64_decode(rawurldecode($value)),
  file_get_contents("gateway.pem"),
  OPENSSL_ALGO_SHA256,
);
if ($genuine !== 1) throw new Exception("This answer is not the gateway's.");`,

  go: String.raw`	answerText := fmt.Sprintf("POST %s\n%s.%s.%s", path, clientID, answer.Header.Get("response-time"), answerBody)
	gatewayBlock, _ := pem.Decode(must(os.ReadFile("gateway.pem")))
	gatewayKey := must(x509.ParsePKIXPublicKey(gatewayBlock.Bytes)).(*rsa.PublicKey)
	answerDigest := sha256.Sum256([]byte(answerText))

	// With "strings" among the imports.
	_, value, _ := strings.Cut(answer.Header.Get("signature"), "signature=")
	plain := must(url.PathUnescape(value))
	claimed := must(base64.StdEncoding.DecodeString(plain))
	if rsa.VerifyPKCS1v15(gatewayKey, crypto.SHA256, answerDigest[:], claimed) != nil {
		panic("This answer is not the gateway's.")
	}`,
};
