import { ConfigurationError, InvalidKeyError } from "./errors.ts";

/** Reads an environment variable. */
export type Variables = (name: string) => string | undefined;

/** Reads an environment variable. Returns undefined in a browser, or if the variable is not set. */
export const environment: Variables = (name) =>
  typeof process === "undefined" ? undefined : process.env[name] || undefined;

/**
 * Reads a key from the environment: its text from the variable, or its file from the variable with the suffix
 * `_FILE`. Returns undefined if neither variable is set. If both are set, it throws, because the choice would
 * be ambiguous.
 */
export function keyFrom<Key>(
  variable: string,
  read: (text: string) => Key,
  lookUp: Variables = environment,
): Key | undefined {
  const [text, file] = [lookUp(variable), lookUp(`${variable}_FILE`)];
  if (text !== undefined && file !== undefined)
    throw new ConfigurationError(`${variable} and ${variable}_FILE are both set. Set one of them.`);
  if (file === undefined) return text === undefined ? undefined : read(text);
  const found = textOfFile(file, `${variable}_FILE`);
  try {
    return read(found);
  } catch (error) {
    if (!(error instanceof InvalidKeyError)) throw error;
    throw new InvalidKeyError(error.reason, `${error.message} (${variable}_FILE: ${file})`);
  }
}

function textOfFile(file: string, variable: string): string {
  // `node:fs` is not imported statically, so that browsers can load this module.
  const files =
    typeof process.getBuiltinModule === "function" ? process.getBuiltinModule("node:fs") : undefined;
  if (!files)
    throw new ConfigurationError(`${variable} is set, but this runtime has no file system. Pass the key.`);
  if (!files.existsSync(file))
    throw new ConfigurationError(
      `${variable} names ${file}, but this file does not exist. Working directory: ${process.cwd()}.`,
    );
  try {
    return files.readFileSync(file, "utf8");
  } catch {
    throw new ConfigurationError(
      `${variable} names ${file}, which cannot be read: it is not a file, or this program has no permission to read it.`,
    );
  }
}
