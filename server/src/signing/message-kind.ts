/**
 * The kinds of message that a gateway key signs for `serve`, `serve-staff` and `work`. Each kind has its own request to
 * a signer process.
 */
export type MessageKind = "answer" | "notification" | "providerRequest";

/**
 * The form of a message before its body. Every message begins with a method in capitals, and no other text that a
 * gateway key signs does. So a request to sign a message cannot produce the signature of an audit head. The second line
 * ends with a time in the form of `formatWireTime`.
 */
const beforeBodyForm =
  // oxlint-disable-next-line no-control-regex -- exactly these are meant
  /^([A-Z-]{1,20}) ([^\u0000-\u001f\u007f]+)\n[^\u0000-\u001f\u007f]{0,255}\.(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00)\.$/;
/** The start of every response (`answerBody`). No webhook and no request to a provider starts like this. */
const answerStart = Buffer.from('{"result":');

/** Returns why a text is no message of this kind, or undefined if it is one. */
export function messageProblem(
  kind: MessageKind,
  beforeBody: string,
  body: Uint8Array,
  { environment }: { readonly environment: string },
): string | undefined {
  const [, method = "", path = ""] = beforeBodyForm.exec(beforeBody) ?? [];
  if (method === "") return "It does not begin with a method, a path, a client id and a time.";
  const isAnswer = startsWith(body, answerStart);
  if (kind === "answer") return isAnswer ? undefined : "The body of a response must begin with its result.";
  if (isAnswer || body[0] !== openingBrace) return "Its body is no JSON object, or that of a response.";
  if (!path.startsWith("/")) return "Its path does not begin with a slash.";
  // The sandbox sends webhooks with a wrong signature on purpose, which is signed for another method.
  const isMethod =
    method === "POST" || (method === "PUT" && kind === "notification" && environment === "sandbox");
  return isMethod ? undefined : `Its method is ${method}.`;
}

const openingBrace = 0x7b;

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  if (bytes.length < start.length) return false;
  for (let at = 0; at < start.length; at += 1) if (bytes[at] !== start[at]) return false;
  return true;
}
