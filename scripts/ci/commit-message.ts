/** Code whose changes need a body: it moves money or writes the ledger. Tests and documents do not. */
const moneyCode =
  /^server\/(?:migrations|src\/(?:bank|captures|disputes|ledger|payments|reconciliation|refunds|settlement))\/.*(?<!\.(?:test|slow|load))\.(?:ts|sql)$/;
const subjectLengthMax = 72;
/** Imperatives that look like a past tense or a participle. */
const imperatives = /^(?:bring|embed|ping|shed|string|swing|\w*eed)$/;

/** `commitMessageMistakes` returns the mistakes in the message of a commit that changes these paths. */
export function commitMessageMistakes(message: string, changed: readonly string[]): string[] {
  const [subject = "", secondLine = "", ...body] = message.trimEnd().split("\n");
  const [, area, first = "", rest = ""] = /^([a-z0-9][\w ,./@-]*): (\S+)(.*)$/.exec(subject) ?? [];
  const mistakes: string[] = [];
  if (subject.length > subjectLengthMax)
    mistakes.push(`the subject has ${subject.length} characters, at most ${subjectLengthMax}`);
  if (area === undefined) mistakes.push('the subject is not "area: imperative"');
  else if (!isImperative(first, `${area}:${rest}`))
    mistakes.push(
      `"${first}" is not an imperative. Example: "refunds: reject an amount in another currency"`,
    );
  if (subject.endsWith(".")) mistakes.push("the subject ends with a full stop");
  if (secondLine !== "") mistakes.push("the line after the subject is not empty");
  if (body.join("").trim() === "" && changed.some((path) => moneyCode.test(path)))
    mistakes.push("a change of code that moves money needs a body that says why");
  return mistakes;
}

/** `isImperative` judges a word only by its form. The only subject without a verb is `release: 1.2.0`. */
function isImperative(word: string, areaAndRest: string): boolean {
  if (/^\d/.test(word)) return areaAndRest === "release:";
  if (!/^[a-z][a-z-]*,?$/.test(word)) return false;
  if (
    /^(?:an?|the|this|that|its?|no|nobody|some|all|every|each|more|less|what|who|how|when|where|why)$/.test(
      word,
    )
  )
    return false;
  return imperatives.test(word) || !/(?:ed|ing)$/.test(word);
}
