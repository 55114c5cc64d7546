import type { TextKind } from "./text.ts";

/** A word of the style guide that is not to be used, and what to write. */
export interface Word {
  readonly find: RegExp;
  readonly use: string;
  /** Kinds of text in which the rule looks for the word; by default all kinds. */
  readonly in?: readonly TextKind[];
  /** Files in which the rule looks for the word; by default all files. */
  readonly where?: RegExp;
  /** Files in which the word is allowed. */
  readonly except?: RegExp;
}

const documents = ["paragraph", "heading"] as const;
const userTexts = [...documents, "message", "label"] as const;
const sentences = ["paragraph", "comment", "message"] as const;

/** Actors: name the role. */
const actors: readonly Word[] = [
  { find: /nobody|no one/i, use: "the role, with 'not' or 'no' (no caller, no operator)" },
  { find: /somebody|anybody/i, use: "the role: caller, merchant, buyer, operator, attacker" },
  { find: /whoever|whomever|whosoever/i, use: "the role: the caller that …, any process that …" },
  { find: /strangers?(?:'s?)?/i, use: "unauthenticated client, unrelated person" },
  { find: /forgers?(?:'s?)?/i, use: "client with an invalid signature, attacker" },
];

/** Archaic or regional words. */
const archaic: readonly Word[] = [
  { find: /anew/i, use: "again" },
  { find: /mend(?:s|ed|ing)?/i, use: "fix" },
  { find: /for ever/i, use: "permanently, without limit, never expires" },
  { find: /beside/i, use: "next to, in addition to, and" },
  { find: /graver?(?= (?:act|one|error|fault|change|mistake)s?\b)/i, use: "sensitive, severe" },
  { find: /alike many|at most so (?:many|much|long|often)/i, use: "equally many; at most N (default …)" },
  { find: /dice/i, use: "randomness" },
];

/** Everyday verbs that stand for technical ones. */
const verbs: readonly Word[] = [
  { find: /told(?! apart)/i, use: "notified, reported, sent, received" },
  {
    find: /(?:stands?|stood) (?:in|on|at|behind|under|before|after|above|below|between|here|there)(?! for\b)/i,
    use: "is in, is on",
  },
  {
    find: /what stands|loops? (?:stands?|that stands?|stood)/i,
    use: "is stalled, has stopped",
  },
  {
    find: /(?:come|comes|came|coming|reach|reaches|reached|brought|bring|brings) (?:to )?(?:its|their|an|the) ends?/i,
    use: "complete, finish, reach a final status",
  },
  { find: /look(?:s|ed|ing)? back/i, use: "poll again, scan earlier rows, polling window" },
  {
    find: /(?:a|each|every|the next|the last|another|such a) look(?! (?:like|of)\b)|(?:takes?|took|has|have) a look/i,
    use: "poll, query, page view",
    except: /brand/,
  },
  { find: /(?:turn|turns|turned|turning) (?:\w+ )?away/i, use: "reject" },
  { find: /(?:take|takes|taken|took) note of/i, use: "acknowledge, record" },
  { find: /proves? once more/i, use: "re-authenticates" },
];

/** Metaphors, and our own words for things that the field has a word for. */
const metaphors: readonly Word[] = [
  {
    find: /second persons?(?:'s?)?|acts? of two|takes? two(?= in live\b|$|[.,;])/i,
    use: "approval (four-eyes principle)",
  },
  { find: /crumbs?/i, use: "tiny chunk" },
  { find: /slips?/i, use: "mistake, signature mistake" },
  { find: /purses?/i, use: "wallet receivable, balance" },
  { find: /lanes?/i, use: "delivery queue (per endpoint)" },
  { find: /[Pp]lanted/, use: "seeded (seeded bug: a mutation kept as a patch)" },
  { find: /(?:the|a|our|its) doctor(?:'s)?/i, use: "signature diagnosis" },
  { find: /(?:front |back )?doors?/i, use: "API, endpoint, entry point" },
  { find: /portions?/i, use: "chunk, batch" },
  {
    find: /letters?(?<!(?:capital|small|case|first|dead|one|two|and|or|Chinese) letters?)(?! (?:case|and digits|or digits|of the alphabet)\b)/i,
    use: "email",
    where: /^(?:accounts|portal)\//,
  },
  { find: /(?<!load )shedding(?! load)/i, use: "load shedding, overload rejection" },
  { find: /step-up/i, use: "re-authentication" },
  { find: /the house(?! account)/i, use: "house account, ledger account of the provider" },
  { find: /(?:bank|wallet)s?'s? (?:word|news)|(?<!Go )news/, use: "bank status report, event" },
  { find: /nothing ends/i, use: "settlement stalled" },
  { find: /universes?/i, use: "isolated test merchant", except: /universe/i },
  { find: /machine-made/i, use: "machine-translated, generated" },
  {
    find: /(?:the|your|a|their|our|two|more) rights?(?= (?:to|of a (?:person|role))\b)|rights(?! reserved)/i,
    use: "permission (people), privilege (database roles)",
  },
  { find: /tills?/i, use: "point of sale (POS)", where: /^docs\/guides\// },
  {
    find: /notifications?/i,
    use: "webhook (`notifyPayment`)",
    in: userTexts,
    where:
      /^(?:docs\/(?:guides|concepts|operating)|README|portal\/src\/languages|server\/src\/operators|cli\/src)/,
  },
  {
    find: /exchanges?(?! (?:rates?|gains?)\b)/i,
    use: "currency conversion, FX rate, FX deal",
    where: /\/exchange|settlement|payout/,
    except: /authorizations|exchange-code/,
  },
  {
    find: /Matching|(?:bank|daily) match(?:ing)?/,
    use: "reconciliation",
    where: /reconcil|matching|bank|settlement|README|^docs/,
  },
];

/** Relative clauses that replace a noun. A question or a heading may begin with `what`. */
const clauses: readonly Word[] = [
  {
    find: /(?<=^[\s◦"'`*]*|[.!?:;]\s+)What(?:ever)?(?=\s[^.?!]*(?:[.!;]|$))/,
    use: "a noun for the thing: pending inquiries, undelivered webhooks",
    in: sentences,
  },
  {
    find: /(?<=^[\s"'`]*)what(?:ever)?(?=\s[^?]*$)/,
    use: "a noun for the thing, or an imperative verb",
    in: ["message"],
  },
];

/** Texts of the portal, whole. */
const labels: readonly Word[] = [
  { find: /(?<=^\W*)Calls?(?=\W*$)/, use: "API requests", in: ["label"] },
  { find: /(?<=^\W*)Try calls?(?=\W*$)/, use: "API explorer", in: ["label"] },
  { find: /(?<=^\W*)Help back in(?=\W*$)/, use: "Account recovery", in: ["label"] },
  { find: /(?<=^\W*)Breaks(?=\W*$)/, use: "Reconciliation", in: ["label"] },
  { find: /(?<=^\W*)Agreements?(?=\W*$)/, use: "Saved consents", in: ["label"] },
  { find: /Taken in/, use: "Created", in: ["label"] },
  { find: /(?<=^\W*)What happened(?=\W*$)/, use: "Timeline", in: ["label"] },
];

/**
 * The table of the style guide, as far as a pattern can tell the wrong use from a right one. It cannot for *wallet* (a provider, or
 * an e-wallet), *hold*, *call*, *ask*, *look* as a verb, *question* and *turn*. Code in backticks is not read, so names of the wire,
 * fields and commands are free.
 */
export const words: readonly Word[] = [...actors, ...archaic, ...verbs, ...metaphors, ...clauses, ...labels];

/**
 * Words of the old style, whose rate shows how much text must still be rewritten. A mature project has about one in
 * 10,000 words.
 */
export const rateWords =
  /\b(?:nobody|whoever|somebody|anew|mend(?:s|ed|ing)?|for\s+ever|(?:is|are|was|were)\s+told|beside|stands?\s+in|what\s+(?:was|is|were|are)\s+(?:not\s+)?\w+ed)\b/gi;
