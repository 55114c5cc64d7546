import { ConfigurationError, InvalidKeyError } from "./errors.ts";

/** Looks up a variable of the environment. */
export type Variables = (name: string) => string | undefined;

/** Undefined in a browser, and where it is not set. */
export const environment: Variables = (name) =>
  typeof process === "undefined" ? undefined : process.env[name] || undefined;

/**
 * A key of the environment: its text stands in the variable, or in the file that its twin `…_FILE` names. Undefined if
 * neither is set. That both are set is refused: nobody would know which of them counts.
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
  // Nothing is imported, so a browser sees none of it.
  const files =
    typeof process.getBuiltinModule === "function" ? process.getBuiltinModule("node:fs") : undefined;
  if (!files) throw new ConfigurationError(`${variable} is set, but there are no files here. Pass the key.`);
  if (!files.existsSync(file))
    throw new ConfigurationError(
      `${variable} names ${file}, and there is no such file, seen from ${process.cwd()}.`,
    );
  try {
    return files.readFileSync(file, "utf8");
  } catch {
    throw new ConfigurationError(
      `${variable} names ${file}, which cannot be read: it is no file, or its permissions keep this program out.`,
    );
  }
}
