<?php

declare(strict_types=1);

namespace Tollgate\Till;

use Tollgate\Areas\PaymentsArea;
use Tollgate\CallOptions;
use Tollgate\Clock;
use Tollgate\Errors\ConfigurationError;
use Tollgate\Errors\ResultError;
use Tollgate\Generated\ResultCodes;
use Tollgate\Models\InquiryPaymentResponse;
use Tollgate\Models\PayRequest;
use Tollgate\Models\PayResponse;
use Tollgate\Signing\WireTime;

/**
 * One payment at a point of sale: inquires if there is no response, cancels if the outcome stays unknown, and
 * returns the outcome.
 *
 * @internal
 */
final class Till
{
    /** The lifetime of an order code or entry code, if the response does not state one. */
    private const USUAL_LIFE_MS = 180_000;
    /** : The longest time in seconds until a stop takes effect. */
    private const STOP_WITHIN_MS = 250;

    private readonly CallOptions $callOptions;
    private ?string $paymentId = null;
    private ?string $state = null;
    private bool $hasStopped = false;

    public function __construct(
        private readonly PaymentsArea $payments,
        private readonly Clock $clock,
        private readonly string $paymentRequestId,
        private readonly ByCodeOptions $options,
    ) {
        if ($paymentRequestId === '') {
            throw new ConfigurationError('The paymentRequestId is missing.');
        }
        // The retries of calls are disabled, because this class does its own retries.
        $this->callOptions = new CallOptions(timeoutMs: $options->timeoutMs, maxRetries: 0, throwOnFailure: false);
    }

    /** @param PayRequest|array<string, mixed> $request */
    public function pay(PayRequest|array $request): TillResult
    {
        $this->say(TillState::ASKING);
        $heard = $this->send($request);
        if ($heard->isSuccess()) {
            return $this->paid($heard->answer);
        }
        if ($heard->isFailure()) {
            return $this->declined((string) $heard->code);
        }
        $this->say($heard->code === 'PAYMENT_IN_PROCESS' ? TillState::ASKING : TillState::CHECKING);
        return $this->settle($this->inquiryPauses());
    }

    /**
     * Sends the same request until there is a code. If there is no code, it makes sure that no payment stays
     * open.
     *
     * @template Opened of OpenCode
     * @param PayRequest|array<string, mixed> $request
     * @param \Closure(PayResponse): ?Opened $openedBy
     * @return Opened|TillResult
     */
    public function open(PayRequest|array $request, \Closure $openedBy): OpenCode|TillResult
    {
        $this->say(TillState::ASKING);
        foreach ([0, ...$this->options->resendAfterSeconds] as $seconds) {
            $this->rest(self::ms($seconds));
            $heard = $this->send($request);
            if ($heard->isFailure()) {
                return $this->declined((string) $heard->code);
            }
            if (!$heard->isSuccess()) {
                continue;
            }
            // A response without a code means that the payment was paid before, or that it is final.
            return $openedBy($heard->answer) ?? $this->finish();
        }
        return $this->cancel();
    }

    /** Inquires at once, and then after the usual pauses. */
    public function finish(): TillResult
    {
        $this->say(TillState::CHECKING);
        return $this->settle([0, ...$this->inquiryPauses()]);
    }

    public function finishOpen(OpenCode $code): TillResult
    {
        $untilMs = WireTime::parse($code->endsAt)
            ?? throw new ConfigurationError("endsAt is not a time: {$code->endsAt}.");
        $this->say(TillState::ASKING);
        return $this->settle($this->pausesUntil($untilMs));
    }

    /** @return array{string, ?string, string} the fields of every open code */
    public function openFacts(PayResponse $answer, ?string $end): array
    {
        // The expiry is computed from the remaining lifetime of the code, because the gateway's clock may
        // differ from the local clock (clock skew).
        $nowMs = $this->clock->now();
        $endMs = WireTime::parse($end ?? '');
        $createdMs = WireTime::parse($answer->paymentCreateTime ?? '') ?? $nowMs;
        $lifeMs = $endMs === null ? self::USUAL_LIFE_MS : max(0, $endMs - $createdMs);
        return [$this->paymentRequestId, $this->paymentId, WireTime::write($nowMs + $lifeMs)];
    }

    /** @return list<int> in milliseconds */
    private function inquiryPauses(): array
    {
        return array_map(self::ms(...), array_values($this->options->inquireAfterSeconds));
    }

    /**
     * Repeats the last pause until the code expires. One more inquiry follows, because the buyer may have
     * paid at the last moment.
     *
     * @return \Generator<int>
     */
    private function pausesUntil(int $untilMs): \Generator
    {
        $pauses = $this->inquiryPauses();
        $pauseMs = 5_000;
        do {
            $pauseMs = array_shift($pauses) ?? $pauseMs;
            yield min($pauseMs, max(0, $untilMs - $this->clock->now()));
        } while ($this->clock->now() < $untilMs);
    }

    /**
     * Inquires after each pause. If the outcome is still unknown, cancels the payment.
     *
     * @param iterable<int> $pausesMs
     */
    private function settle(iterable $pausesMs): TillResult
    {
        foreach ($pausesMs as $pauseMs) {
            $this->rest($pauseMs);
            if ($this->isStopped()) {
                break;
            }
            $asked = $this->inquire();
            $end = $this->endOf($asked);
            if ($end !== null) {
                return $end;
            }
            // A payment that the gateway does not know may still be in transit. After any other rejection,
            // more inquiries are useless.
            if ($asked->isFailure() && $asked->code !== 'ORDER_NOT_EXIST') {
                break;
            }
            $isBuyersTurn = $asked->isSuccess() && $asked->answer->paymentStatus !== 'SUCCESS';
            $this->say($isBuyersTurn ? TillState::ASKING : TillState::CHECKING);
        }
        return $this->cancel();
    }

    private function cancel(): TillResult
    {
        $this->say(TillState::CANCELLING);
        $request = ['paymentRequestId' => $this->paymentRequestId];
        $last = new Heard();
        $isInDoubt = false;
        foreach ([0, ...$this->options->cancelAfterSeconds] as $seconds) {
            // After a stop, the remaining steps run without pauses.
            if ($seconds > 0) {
                $this->clock->sleep(self::ms($seconds));
            }
            $last = $this->hear(fn () => $this->payments->cancel($request, $this->callOptions));
            if ($last->isSuccess()) {
                $asked = $this->inquire();
                return $this->cancelled($last->answer->cancelTime, $asked->isSuccess() ? $asked->answer : null);
            }
            if (!$last->isFailure()) {
                $isInDoubt = true;
                continue;
            }
            $end = $this->endOf($this->inquire());
            // After a cancel without a response, `paid` is not final, because the cancel may still take
            // effect.
            if ($end !== null && !($isInDoubt && $end instanceof Paid)) {
                return $end;
            }
        }
        return new Unknown($this->paymentRequestId, $this->paymentId, $last->code, $last->fault);
    }

    /**
     * The final outcome in an inquiry; null as long as there is none.
     *
     * @param Heard<InquiryPaymentResponse> $asked
     */
    private function endOf(Heard $asked): ?TillResult
    {
        $answer = $asked->answer;
        return match ($asked->isSuccess() ? $answer->paymentStatus : null) {
            'SUCCESS' => self::isGoingBack($answer) ? null : $this->paid($answer),
            'FAIL' => $this->declined($answer->paymentResultCode ?? 'PROCESS_FAIL'),
            'CANCELLED' => $this->cancelled(null, $answer),
            default => null,
        };
    }

    /**
     * A cancel is in progress: the payment stays paid until its payment provider has confirmed the reversal.
     */
    private static function isGoingBack(InquiryPaymentResponse $answer): bool
    {
        foreach ($answer->transactions ?? [] as $each) {
            if ($each->transactionType === 'CANCEL' && $each->transactionStatus === 'PROCESSING') {
                return true;
            }
        }
        return false;
    }

    private function paid(PayResponse|InquiryPaymentResponse $answer): Paid
    {
        return new Paid(
            ...$this->facts('SUCCESS'),
            paymentTime: $answer->paymentTime,
            paymentAmount: $answer->paymentAmount,
            actualPaymentAmount: $answer->actualPaymentAmount,
        );
    }

    private function declined(string $code): Declined
    {
        return new Declined(...$this->facts($code));
    }

    /**
     * `asked` is the result of the inquiry after the cancel. Only this inquiry shows whether money is
     * returned.
     */
    private function cancelled(?string $cancelTime, ?InquiryPaymentResponse $asked): Cancelled
    {
        $wasPaid = $asked?->paymentTime !== null || ($asked?->transactions ?? []) !== [];
        return new Cancelled(
            ...$this->facts('ORDER_IS_CANCELED'),
            cancelTime: $cancelTime,
            moneyBack: $asked === null ? null : $wasPaid,
        );
    }

    /** @return array{paymentRequestId: string, paymentId: ?string, resultCode: string, advice: string} */
    private function facts(string $code): array
    {
        return [
            'paymentRequestId' => $this->paymentRequestId,
            'paymentId' => $this->paymentId,
            'resultCode' => $code,
            'advice' => ResultCodes::find($code)['advice'] ?? '',
        ];
    }

    /**
     * @param PayRequest|array<string, mixed> $request
     * @return Heard<PayResponse>
     */
    private function send(PayRequest|array $request): Heard
    {
        return $this->isStopped()
            ? new Heard()
            : $this->hear(fn (): PayResponse => $this->payments->pay($request, $this->callOptions));
    }

    /** @return Heard<InquiryPaymentResponse> */
    private function inquire(): Heard
    {
        $request = ['paymentRequestId' => $this->paymentRequestId];
        return $this->hear(fn () => $this->payments->inquiryPayment($request, $this->callOptions));
    }

    /**
     * Converts errors to missing responses: no error after a request was sent may stop the point of sale from
     * finding the outcome.
     */
    private function hear(\Closure $call): Heard
    {
        try {
            $answer = $call();
        } catch (ConfigurationError $error) {
            throw $error;
        } catch (\Throwable $fault) {
            return new Heard(null, $fault instanceof ResultError ? $fault->resultCode : null, $fault);
        }
        $this->paymentId = $answer->paymentId ?? $this->paymentId;
        return new Heard($answer, $answer->result->resultCode);
    }

    private function rest(int $ms): void
    {
        $stepMs = $this->options->stop === null ? $ms : self::STOP_WITHIN_MS;
        for ($leftMs = $ms; $leftMs > 0 && !$this->isStopped(); $leftMs -= $stepMs) {
            $this->clock->sleep(min($leftMs, $stepMs));
        }
    }

    private function isStopped(): bool
    {
        return $this->hasStopped = $this->hasStopped || ($this->options->stop !== null && ($this->options->stop)());
    }

    private function say(string $state): void
    {
        if ($state === $this->state) {
            return;
        }
        $this->state = $state;
        try {
            $this->options->onState?->__invoke($state);
        } catch (\Throwable) {
            // An error in `onState` must not make a payment fail.
        }
    }

    private static function ms(int|float $seconds): int
    {
        return (int) round($seconds * 1000);
    }
}
