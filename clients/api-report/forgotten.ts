/**
 * Types that a library speaks of and does not give: they stand in the signature of something that programs can use, and have no line of their own in
 * its report. Whoever gets such a thing cannot write its type down. (Go's own test looks for them with Go's own parser.)
 */
export function forgottenExports(language: string, report: string): string[] {
  const typesIn = readers[language];
  if (!typesIn) throw new Error(`How are types written in ${language}?`);
  const lines = report.split("\n").flatMap((line) => {
    const [owner, signature] = line.split(/ \| (.*)/);
    return owner !== undefined && signature !== undefined ? [{ owner, signature }] : [];
  });
  const given = new Set(lines.flatMap(({ owner, signature }) => namesGiven(owner, signature)));
  const forgotten = lines.flatMap(({ owner, signature }) =>
    typesIn(signature)
      .filter((type) => !given.has(type))
      .map((type) => `${owner}: ${type}`),
  );
  return [...new Set(forgotten)];
}

/** Things with lines of their own, by their whole name and by its last word; and in Python what is a mere name, or is handed on. */
function namesGiven(owner: string, signature: string): string[] {
  const name = /^(?:export )?(\w+)$/.exec(signature)?.[1];
  const last = owner.split(/[./]/).at(-1) ?? "";
  // A model of Python is imported from `models`, in whichever module below it stands.
  const inPackage = `${owner.split(".")[1] ?? ""}.${last}`;
  return [owner, inPackage, last, ...(name === undefined ? [] : [name])];
}

/** The library's own types in a signature: those of the language and of its platform are nobody's to export. */
const readers: Readonly<Record<string, (signature: string) => string[]>> = {
  typescript(signature) {
    const parameters = [...signature.matchAll(/<(\w+)(?: extends [^<>]*)?(?:, (\w+))?>(?=\(| =| \{|$)/g)];
    const own = new Set(parameters.flatMap(([, one = "", other = ""]) => [one, other]));
    return namesIn(signature.replaceAll(/"[^"]*"/g, ""), /(?<![\w.])[A-Z]\w+/g).filter(
      (name) => !ofTypescript.has(name) && !own.has(name),
    );
  },
  java: (signature) => namesIn(signature, /io\.tollgate(?:\.\w+)*[\w$]+/g),
  php: (signature) => namesIn(signature, /(?<![\w\\])Tollgate\\[\w\\]+/g),
  python: (signature) =>
    namesIn(
      signature.replaceAll(/Literal\[[^\]]*\]/g, ""),
      /(?<![\w.])(?:models|params|keywords)\.\w+|(?<![\w.])_?[A-Z]\w+/g,
    ).filter((name) => !ofPython.has(name) && name !== name.toUpperCase()),
};

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([name]) => name);
}

const ofTypescript = new Set(
  "AbortSignal ArrayBuffer AsyncIterable AsyncIterableIterator AsyncGenerator Date Error Iterable Map Omit Partial Pick Promise ReadableStream Readonly Record Uint8Array".split(
    " ",
  ),
);
const ofPython = new Set(
  "AbstractAsyncContextManager AbstractContextManager Any AsyncIterator Awaitable Callable Decimal Enum Exception Generator Iterable Iterator Literal Mapping NamedTuple None NotRequired Path Protocol Self Sequence Type TypedDict Union Unpack".split(
    " ",
  ),
);
