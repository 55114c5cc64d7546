import type { GeneratedFile } from "./emitter.ts";
import type { Model } from "./model.ts";
import { file, quotedList, listInLines, wrapText } from "./php-text.ts";
import { phpQuoted } from "./names.ts";

export function operationsFile({ areas, secrets }: Model): GeneratedFile {
  const rows = areas
    .flatMap(({ operations }) => operations)
    .map(({ path, isRepeatable, idempotencyField }) => {
      const field = idempotencyField === undefined ? "" : `, 'idempotencyField' => '${idempotencyField}'`;
      return `        '${path}' => ['isRepeatable' => ${isRepeatable}${field}],`;
    });
  const text = `/**
 * The facts that the library needs about each operation.
 *
 * @internal
 */
final class Operations
{
    /** Fields that must never appear in a log. */
    public const SECRET_FIELDS = ${listInLines(secrets, 4)};

    private const FACTS = [
${rows.join("\n")}
    ];

    /** @return array{isRepeatable: bool, idempotencyField?: string}|null */
    public static function find(string $path): ?array
    {
        return self::FACTS[$path] ?? null;
    }
}`;
  return file("Generated", "Operations", [], text);
}

export function notificationsFile({ notifications }: Model): GeneratedFile {
  const rows = notifications.map(
    ({ kind, type, notifyTypes, requiredFields, subjectField }) =>
      `        [\n            'kind' => '${kind}',\n            'class' => ${type}::class,\n` +
      `            'notifyTypes' => ${quotedList(notifyTypes)},\n` +
      `            'requiredFields' => ${listInLines(requiredFields, 12)},\n` +
      `            'subjectField' => ${subjectField === undefined ? "null" : `'${subjectField}'`},\n        ],`,
  );
  const text = `/**
 * The fields that identify each kind of webhook.
 *
 * @internal
 */
final class Notifications
{
    /**
     * @var list<array{
     *     kind: string,
     *     class: class-string<Model>,
     *     notifyTypes: list<string>,
     *     requiredFields: list<string>,
     *     subjectField: ?string,
     * }>
     */
    public const FACTS = [
${rows.join("\n")}
    ];
}`;
  const uses = [...notifications.map(({ type }) => `Models\\${type}`), "Models\\Model"];
  return file("Generated", "Notifications", uses, text);
}

export function resultCodesFile({ resultCodes }: Model): GeneratedFile {
  const rows = resultCodes.map(
    ({ code, error, isRetryable, mayBeUnsigned, advice }) =>
      `        '${code}' => [\n            'error' => ${error === undefined ? "null" : `${error}::class`},\n` +
      `            'isRetryable' => ${isRetryable},\n            'mayBeUnsigned' => ${mayBeUnsigned},\n            'advice' => ${phpQuoted(advice)},\n        ],`,
  );
  const classes = resultCodes.flatMap(({ error }) => (error === undefined ? [] : [`Errors\\${error}`]));
  const text = `/**
 * The exception for each result code, and what to do about it.
 *
 * @internal
 */
final class ResultCodes
{
    /** @var array<string, array{error: class-string<ResultError>|null, isRetryable: bool, mayBeUnsigned: bool, advice: string}> */
    private const FACTS = [
${rows.join("\n")}
    ];

    /**
     * The facts that this version of the library knows about a code.
     *
     * @return array{error: class-string<ResultError>|null, isRetryable: bool, mayBeUnsigned: bool, advice:
     *     string}|null
     */
    public static function find(string $code): ?array
    {
        return self::FACTS[$code] ?? null;
    }
}`;
  return file("Generated", "ResultCodes", [...classes, "Errors\\ResultError"], text);
}

export function currenciesFile({ currencies }: Model): GeneratedFile {
  const digits = [...new Set(currencies.map((currency) => currency.digits))];
  const rows = digits.map((each) => {
    const codes = currencies.filter((currency) => currency.digits === each).map(({ code }) => code);
    const codeLines = wrapText(codes.join(" "), 96).map((line, index) => `${index === 0 ? "" : " "}${line}`);
    return `        ${each} => ${codeLines.map(phpQuoted).join("\n            . ")},`;
  });
  const text = `/**
 * The number of decimals of each currency.
 *
 * @internal
 */
final class Currencies
{
    private const BY_DIGITS = [
${rows.join("\n")}
    ];

    public static function digits(string $currency): ?int
    {
        foreach (self::BY_DIGITS as $digits => $codes) {
            if (in_array($currency, explode(' ', $codes), true)) {
                return $digits;
            }
        }
        return null;
    }
}`;
  return file("Generated", "Currencies", [], text);
}
