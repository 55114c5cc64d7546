<?php

declare(strict_types=1);

namespace Tollgate\Areas;

use Tollgate\Errors\ConfigurationError;
use Tollgate\Json;
use Tollgate\Models\Model;
use Tollgate\Models\PayRequest;
use Tollgate\Models\PayResponse;
use Tollgate\Till\ByCodeOptions;
use Tollgate\Till\OpenCode;
use Tollgate\Till\OpenedEntryCode;
use Tollgate\Till\ShownOrderCode;
use Tollgate\Till\Till;
use Tollgate\Till\TillResult;

/** Methods of `payments` for a point of sale, in addition to its operations: a whole payment in one call. */
trait PaysByCode
{
    /**
     * Takes a payment with the code that the buyer shows (`PaymentCode`). If there is no response, it
     * inquires; if the outcome stays unknown, it cancels. It returns the final outcome. After the request is
     * sent, it does not throw: every result has the payment's id.
     *
     * @param PayRequest|array<string, mixed> $request
     * @throws ConfigurationError before the request is sent
     */
    public function payByCode(PayRequest|array $request, ?ByCodeOptions $options = null): TillResult
    {
        $fields = self::checkedFields($request, 'payByCode', 'PaymentCode');
        return $this->tillFor($fields->paymentRequestId ?? '', $options)->pay($request);
    }

    /**
     * Gets a code for the buyer to scan (`OrderCode`). Show the code and wait with `finishByCode`. If there
     * is no code, it returns a result with the reason.
     *
     * @param PayRequest|array<string, mixed> $request
     * @throws ConfigurationError before the request is sent
     */
    public function showOrderCode(
        PayRequest|array $request,
        ?ByCodeOptions $options = null,
    ): ShownOrderCode|TillResult {
        $fields = self::checkedFields($request, 'showOrderCode', 'OrderCode');
        $till = $this->tillFor($fields->paymentRequestId ?? '', $options);
        return $till->open($request, static function (PayResponse $answer) use ($till): ?ShownOrderCode {
            $codes = $answer->orderCodeForm->codeDetails ?? [];
            $texts = array_filter($codes, static fn ($code): bool => $code->displayType === 'TEXT');
            $code = reset($texts) ?: reset($codes);
            if ($code === false) {
                return null;
            }
            $facts = $till->openFacts($answer, $answer->orderCodeForm->expireTime);
            return new ShownOrderCode(...$facts, codeText: $code->codeValue);
        });
    }

    /**
     * Gets a page for the buyer to open (`EntryCode`). Send the buyer there and wait with `finishByCode`. If
     * there is no page, it returns a result with the reason.
     *
     * @param PayRequest|array<string, mixed> $request
     * @throws ConfigurationError before the request is sent
     */
    public function openEntryCode(
        PayRequest|array $request,
        ?ByCodeOptions $options = null,
    ): OpenedEntryCode|TillResult {
        $fields = self::checkedFields($request, 'openEntryCode', 'EntryCode');
        $till = $this->tillFor($fields->paymentRequestId ?? '', $options);
        return $till->open($request, static function (PayResponse $answer) use ($till, $fields): ?OpenedEntryCode {
            $url = $answer->redirectActionForm?->redirectUrl;
            $facts = $till->openFacts($answer, $fields->paymentExpiryTime ?? null);
            return $url === null ? null : new OpenedEntryCode(...$facts, redirectUrl: $url);
        });
    }

    /**
     * Brings a payment to a final outcome: inquires, and then cancels. For an open code, it inquires until
     * the code expires. For a `paymentRequestId`, for example after `Unknown` or after a crash, it inquires
     * at once and as often as `payByCode` does.
     *
     * @throws ConfigurationError before a request is sent
     */
    public function finishByCode(string|OpenCode $payment, ?ByCodeOptions $options = null): TillResult
    {
        return is_string($payment)
            ? $this->tillFor($payment, $options)->finish()
            : $this->tillFor($payment->paymentRequestId, $options)->finishOpen($payment);
    }

    private function tillFor(string $paymentRequestId, ?ByCodeOptions $options): Till
    {
        return new Till($this, $this->caller->clock(), $paymentRequestId, $options ?? new ByCodeOptions());
    }

    /**
     * Checks the kind of the request: for each kind of code, `S` has a different meaning, so a request of
     * another kind is rejected.
     *
     * @param PayRequest|array<string, mixed> $request
     */
    private static function checkedFields(PayRequest|array $request, string $call, string $scenario): \stdClass
    {
        try {
            $fields = Json::decodeObject(Json::encode($request instanceof Model ? $request : (object) $request));
        } catch (\JsonException $error) {
            throw new ConfigurationError("The request cannot be written as JSON: {$error->getMessage()}.", null, $error);
        }
        $said = $fields->paymentFactor->inStorePaymentScenario ?? 'absent';
        if ($said !== $scenario) {
            $which = "paymentFactor.inStorePaymentScenario is {$scenario}";
            throw new ConfigurationError("{$call} requires a payment whose {$which}, and not {$said}.");
        }
        return $fields;
    }
}
