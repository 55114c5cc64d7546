/**
 * Finds types that are used in exported signatures but not exported themselves: an unexported type has no
 * line in the library's report, and callers cannot name it. For Go, `exported_test.go` does this with Go's
 * parser.
 */
export function unexportedTypes(language: string, report: string): string[] {
  const readTypes = readers[language];
  if (!readTypes) throw new Error(`No type reader for ${language}. Add it to unexported-types.ts.`);
  const lines = report.split("\n").flatMap((line) => {
    const [owner, signature] = line.split(/ \| (.*)/);
    return owner !== undefined && signature !== undefined ? [{ owner, signature }] : [];
  });
  const exportedNames = new Set(lines.flatMap(({ owner, signature }) => listExportedNames(owner, signature)));
  const unexported = lines.flatMap(({ owner, signature }) =>
    readTypes(signature)
      .filter((type) => !exportedNames.has(type))
      .map((type) => `${owner}: ${type}`),
  );
  return [...new Set(unexported)];
}

/** The exported names: the full name and its last part; in Python also aliases and re-exports. */
function listExportedNames(owner: string, signature: string): string[] {
  const name = /^(?:export )?(\w+)$/.exec(signature)?.[1];
  const last = owner.split(/[./]/).at(-1) ?? "";
  // A Python model is imported from `models`, whichever module below it contains it.
  const inPackage = `${owner.split(".")[1] ?? ""}.${last}`;
  return [owner, inPackage, last, ...(name === undefined ? [] : [name])];
}

/** The library's own types in a signature, without the types of the language and its platform. */
const readers: Readonly<Record<string, (signature: string) => string[]>> = {
  typescript(signature) {
    const parameters = [...signature.matchAll(/<(\w+)(?: extends [^<>]*)?(?:, (\w+))?>(?=\(| =| \{|$)/g)];
    const typeParameters = new Set(
      parameters.flatMap(([, firstName = "", secondName = ""]) => [firstName, secondName]),
    );
    return findNames(signature.replaceAll(/"[^"]*"/g, ""), /(?<![\w.])[A-Z]\w+/g).filter(
      (name) => !builtInTypescript.has(name) && !typeParameters.has(name),
    );
  },
  java: (signature) => findNames(signature, /io\.tollgate(?:\.\w+)*[\w$]+/g),
  php: (signature) => findNames(signature, /(?<![\w\\])Tollgate\\[\w\\]+/g),
  python: (signature) =>
    findNames(
      signature.replaceAll(/Literal\[[^\]]*\]/g, ""),
      /(?<![\w.])(?:models|params|keywords)\.\w+|(?<![\w.])_?[A-Z]\w+/g,
    ).filter((name) => !builtInPython.has(name) && name !== name.toUpperCase()),
};

function findNames(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([name]) => name);
}

const builtInTypescript = new Set(
  "AbortSignal ArrayBuffer AsyncIterable AsyncIterableIterator AsyncGenerator Date Error Iterable Map Omit Partial Pick Promise ReadableStream Readonly Record Uint8Array".split(
    " ",
  ),
);
const builtInPython = new Set(
  "AbstractAsyncContextManager AbstractContextManager Any AsyncIterator Awaitable Callable Decimal Enum Exception Generator Iterable Iterator Literal Mapping NamedTuple None NotRequired Path Protocol Self Sequence Type TypedDict Union Unpack".split(
    " ",
  ),
);
