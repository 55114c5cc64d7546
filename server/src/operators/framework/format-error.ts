/** `formatError` formats an error for people: the problem and what to do, without a stack trace. */
export function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC") return `The disk is full${path ? `: ${path}` : ""}. Free space and try again.`;
  if (syscall === "uv_cwd")
    return "The current folder was deleted. Change to an existing folder and try again.";
  if ((code === "EACCES" || code === "EPERM") && path)
    return `You have no permission to read or write ${path}. Choose another folder, or change its permissions.`;
  // On a read-only disk, Node's recursive mkdir fails with ENOENT.
  const isReadOnly = code === "EROFS" || (code === "ENOENT" && syscall === "mkdir");
  if (isReadOnly && path) return `${path} is on a read-only disk. Choose another folder.`;
  if (code === "ENOENT" && path) return `The file ${path} does not exist.`;
  // The error of `fetch` has the reason in its cause.
  if (error.message === "fetch failed" && error.cause !== undefined) return formatError(error.cause);
  if (code === "ECONNREFUSED" && "address" in error)
    return `There is no response from ${addressIn(error)}. Check that the service is running.`;
  // When no address of a host responds, Node throws an AggregateError without a message.
  if (error instanceof AggregateError && !error.message) return error.errors.map(formatError).join(" ");
  // PostgreSQL reports a full disk by this message, in its log or its response.
  if (error.message.includes("No space left on device"))
    return `${error.message.trim()}\nThe disk is full. Free space and try again.`;
  if (error.cause === undefined) return error.message;
  const cause = formatError(error.cause);
  // A wrapped error often contains the message of its cause, which is then not repeated.
  return error.message.includes(cause) ? error.message : `${error.message} ${cause}`;
}

function addressIn(error: Error): string {
  const { address = "", port = "" } = error as { readonly address?: string; readonly port?: number };
  return `${address}:${port}`;
}
