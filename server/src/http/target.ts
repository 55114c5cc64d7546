/** The parsed request target. */
export interface Target {
  /** Path and query as received, which is what was signed; the scheme and host of an absolute form are not. */
  readonly signedPath: string;
  /** Without the query, which has no meaning here and may hold secrets: safe to log. */
  readonly path: string;
  /** For example `payments/inquiryPayment`; undefined when the path is not of an operation's form. */
  readonly operationPath: string | undefined;
  readonly sandbox: boolean;
}

const absoluteForm = /^https?:\/\/[^/?#]*/i;
/** One published library sends, and signs, a doubled slash before the version. */
const operationForm = /^\/ams\/(sandbox\/)?api\/{1,2}v1\/([A-Za-z]+\/[A-Za-z/]+)$/;

export function readTarget(url: string): Target {
  const signedPath = url.replace(absoluteForm, "");
  const question = signedPath.indexOf("?");
  const path = question === -1 ? signedPath : signedPath.slice(0, question);
  const match = operationForm.exec(path);
  return { signedPath, path, operationPath: match?.[2], sandbox: match?.[1] !== undefined };
}

/** Whether a target is the API's to answer. Everything else is a page. */
export function isOperationTarget(url: string): boolean {
  return /^(?:https?:\/\/[^/?#]*)?\/+ams(?:[/?#]|$)/i.test(url);
}
