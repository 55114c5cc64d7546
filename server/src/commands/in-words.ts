/** What went wrong, for people: a sentence that says what to do, without a stack trace. */
export function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC") return `The disk is full${path ? `: ${path}` : ""}. Make room, and start again.`;
  if (syscall === "uv_cwd")
    return "The current folder is gone. Change to one that is there, and start again.";
  if ((code === "EACCES" || code === "EPERM") && path)
    return `${path} may not be read or written by you. Choose another folder, or change who may.`;
  // Node's recursive mkdir calls a disk that cannot be written so.
  const isReadOnly = code === "EROFS" || (code === "ENOENT" && syscall === "mkdir");
  if (isReadOnly && path) return `${path} is on a disk that cannot be written. Choose another folder.`;
  if (code === "ENOENT" && path) return `There is no file ${path}.`;
  // The words of `fetch`, behind which the reason is.
  if (error.message === "fetch failed" && error.cause !== undefined) return inWords(error.cause);
  if (code === "ECONNREFUSED" && "address" in error)
    return `Nobody answers at ${addressIn(error)}: does it run?`;
  // When no address of a host answers, Node throws an AggregateError without a message of its own.
  if (error instanceof AggregateError && !error.message) return error.errors.map(inWords).join(" ");
  // PostgreSQL's own words, from its log or its answer.
  if (error.message.includes("No space left on device"))
    return `${error.message.trim()}\nThe disk is full. Make room, and start again.`;
  if (error.cause === undefined) return error.message;
  const cause = inWords(error.cause);
  // A wrapped error often repeats the sentence of its cause.
  return error.message.includes(cause) ? error.message : `${error.message} ${cause}`;
}

function addressIn(error: Error): string {
  const { address = "", port = "" } = error as { readonly address?: string; readonly port?: number };
  return `${address}:${port}`;
}
