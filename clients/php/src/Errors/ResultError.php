<?php

declare(strict_types=1);

namespace Tollgate\Errors;

use Tollgate\Generated\ResultCodes;

/** The gateway rejected the request. */
class ResultError extends GatewayError
{
    /** The result code, such as `ORDER_NOT_EXIST`; see `Tollgate\Models\ResultCode`. */
    public readonly string $resultCode;
    /** The result status: `F`, or `U` if a rate limit was exceeded. */
    public readonly string $resultStatus;
    public readonly string $resultMessage;
    /** The recommended action. */
    public readonly string $advice;

    final public function __construct(
        /** The complete response. */
        public readonly \stdClass $raw,
        /**
         * Whether the rejection is signed. The gateway may send a rejection without a signature before it
         * authenticates the client.
         */
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
     * Builds the error message. A sandbox response names the invalid field, the fix for this case, and a
     * link. A live response has none of these, so its message has the general advice for the result code.
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

    /** Creates the error for a result. Unknown codes of a newer gateway become a plain `ResultError`. */
    public static function of(\stdClass $raw, bool $isSigned, CallFacts $facts): self
    {
        $class = ResultCodes::find($raw->result->resultCode)['error'] ?? self::class;
        return new $class($raw, $isSigned, $facts);
    }
}
