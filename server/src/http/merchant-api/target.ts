/** The parsed request target. */
export interface Target {
  /**
   * Path and query as received, which the signature covers. If the target has a scheme and a host, they are not
   * included.
   */
  readonly signedPath: string;
  /**
   * The path without the query, which has no meaning for operations and may contain secrets. The path is safe to log.
   */
  readonly path: string;
  /**
   * The path of the operation, for example `payments/inquiryPayment`; undefined if the target does not have an
   * operation's form.
   */
  readonly operationPath: string | undefined;
  readonly sandbox: boolean;
}

const absoluteForm = /^https?:\/\/[^/?#]*/i;
/**
 * The form of an operation's path. One published client library sends, and signs, a doubled slash before the version.
 */
const operationForm = /^\/ams\/(sandbox\/)?api\/{1,2}v1\/([A-Za-z]+\/[A-Za-z/]+)$/;

export function readTarget(url: string): Target {
  const signedPath = url.replace(absoluteForm, "");
  const queryStart = signedPath.indexOf("?");
  const path = queryStart === -1 ? signedPath : signedPath.slice(0, queryStart);
  const match = operationForm.exec(path);
  return { signedPath, path, operationPath: match?.[2], sandbox: match?.[1] !== undefined };
}

/** Whether a target belongs to the API. All other targets are pages. */
export function isOperationTarget(url: string): boolean {
  return /^(?:https?:\/\/[^/?#]*)?\/+ams(?:[/?#]|$)/i.test(url);
}
