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

/** What `payments` has beside its operations, for tills: the whole of a payment in one call. */
trait PaysByCode
{
    /**
     * Takes a payment with the code that the buyer shows (`PaymentCode`). Asks when there is no answer, cancels when
     * nobody tells, and says how it ended. Once the request is sent it throws nothing: the id is in every result.
     *
     * @param PayRequest|array<string, mixed> $request
     * @throws ConfigurationError before anything is sent
     */
    public function payByCode(PayRequest|array $request, ?ByCodeOptions $options = null): TillResult
    {
        $fields = self::checkedFields($request, 'payByCode', 'PaymentCode');
        return $this->tillFor($fields->paymentRequestId ?? '', $options)->pay($request);
    }

    /**
     * Gets a code for the buyer to scan (`OrderCode`). Show it, and wait with `finishByCode`; or the result why there
     * is none.
     *
     * @param PayRequest|array<string, mixed> $request
     * @throws ConfigurationError before anything is sent
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
     * Gets the page to send the buyer to (`EntryCode`). Send the buyer there, and wait with `finishByCode`; or the
     * result why there is none.
     *
     * @param PayRequest|array<string, mixed> $request
     * @throws ConfigurationError before anything is sent
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
     * Brings a payment to its end: asks, and then cancels. For an open code it asks until that ends. For a
     * `paymentRequestId`, as after `Unknown` or when the till has crashed, it asks at once and as often as `payByCode`
     * does.
     *
     * @throws ConfigurationError before anything is sent
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
     * `S` means something else for each kind of code, so none may be taken for another.
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
            throw new ConfigurationError("{$call} is for payments whose {$which}, and not {$said}.");
        }
        return $fields;
    }
}
