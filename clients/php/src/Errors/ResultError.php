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
        parent::__construct(trim("{$this->resultCode}: {$this->resultMessage} {$this->advice}"), $facts);
    }

    /** The error for an answer; codes that a newer gateway has are plain `ResultError`s. */
    public static function of(\stdClass $raw, bool $isSigned, CallFacts $facts): self
    {
        $class = ResultCodes::find($raw->result->resultCode)['error'] ?? self::class;
        return new $class($raw, $isSigned, $facts);
    }
}
