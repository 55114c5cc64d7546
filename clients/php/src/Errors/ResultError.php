<?php

declare(strict_types=1);

namespace Tollgate\Errors;

use Tollgate\Generated\ResultCodes;

/** The gateway said no. */
class ResultError extends GatewayError
{
    /** Such as `ORDER_NOT_EXIST`; see `Tollgate\Models\ResultCode`. */
    public readonly string $resultCode;
    /** `F`, or `U` when you called too often. */
    public readonly string $resultStatus;
    public readonly string $resultMessage;
    /** What to do about it. */
    public readonly string $advice;

    final public function __construct(
        /** The whole answer. */
        public readonly \stdClass $raw,
        /** Refusals from before the caller is known may come unsigned. */
        public readonly bool $isSigned,
        ?CallFacts $facts = null,
    ) {
        $result = $raw->result;
        $this->resultCode = $result->resultCode;
        $this->resultStatus = $result->resultStatus;
        $this->resultMessage = $result->resultMessage ?? '';
        $this->advice = ResultCodes::find($this->resultCode)['advice'] ?? '';
        parent::__construct($this->explained($result), $facts);
    }

    /**
     * All that helps, where it is seen first: the sandbox names the field at fault, says what to do in this very case,
     * and where to read more. Live says none of it, so there it is the code's general advice.
     */
    private function explained(\stdClass $result): string
    {
        $text = static fn (string $name): string => is_string($result->{$name} ?? null) ? $result->{$name} : '';
        [$field, $hint, $docUrl] = [$text('resultField'), $text('resultHint'), $text('docUrl')];
        $parts = [
            trim("{$this->resultCode}: {$this->resultMessage}"),
            $hint !== '' ? $hint : $this->advice,
            $field !== '' ? "Field: {$field}." : '',
            $docUrl !== '' ? "See {$docUrl}" : '',
        ];
        return implode(' ', array_filter($parts, static fn (string $part): bool => $part !== ''));
    }

    /** The error for an answer; codes that a newer gateway has are plain `ResultError`s. */
    public static function of(\stdClass $raw, bool $isSigned, CallFacts $facts): self
    {
        $class = ResultCodes::find($raw->result->resultCode)['error'] ?? self::class;
        return new $class($raw, $isSigned, $facts);
    }
}
