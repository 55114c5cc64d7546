<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Generated\Currencies;
use Tollgate\Models\Amount;

/** An amount in the smallest unit of its currency, without floats: EUR 12.50 is 1250, JPY 1250 is 1250. */
final class Money implements \Stringable
{
    /** The maximum number of digits of an amount: it fits into an integer, with room for additions. */
    private const DIGITS_MAX = 18;

    private function __construct(public readonly string $currency, public readonly int $minor)
    {
    }

    /** Reads a decimal, such as `Money::of('EUR', '12.50')`. Rejects more decimals than the currency has. */
    public static function of(string $currency, string $decimal): self
    {
        $digits = self::digits($currency);
        if (preg_match('/^(-?)(\d{1,16})(?:\.(\d+))?$/D', $decimal, $match) !== 1) {
            throw new \InvalidArgumentException("Invalid amount: {$decimal}");
        }
        [, $sign, $whole, $fraction] = array_pad($match, 4, '');
        if (strlen($fraction) > $digits) {
            $given = strlen($fraction);
            throw new \InvalidArgumentException("{$currency} has {$digits} decimals, and not {$given}.");
        }
        $minor = ltrim($whole . str_pad($fraction, $digits, '0'), '0');
        if (strlen($minor) > self::DIGITS_MAX) {
            throw new \InvalidArgumentException("The amount is too large: {$decimal}");
        }
        return new self($currency, $sign === '-' ? -(int) $minor : (int) $minor);
    }

    public static function ofMinor(string $currency, int $minor): self
    {
        self::digits($currency);
        return new self($currency, $minor);
    }

    /** Reads the wire format. */
    public static function from(Amount $amount): self
    {
        if (preg_match('/^\d{1,16}$/D', $amount->value) !== 1) {
            throw new \InvalidArgumentException("Invalid amount: {$amount->value}");
        }
        return self::ofMinor($amount->currency, (int) $amount->value);
    }

    /** Writes the wire format, which does not allow negative amounts. */
    public function toAmount(): Amount
    {
        if ($this->minor < 0) {
            throw new \InvalidArgumentException('A negative amount cannot be sent.');
        }
        return new Amount(currency: $this->currency, value: (string) $this->minor);
    }

    public function add(self $other): self
    {
        return new self($this->same($other), $this->minor + $other->minor);
    }

    public function subtract(self $other): self
    {
        return new self($this->same($other), $this->minor - $other->minor);
    }

    /** Returns a negative number, zero or a positive number, as `usort` needs it. */
    public function compare(self $other): int
    {
        $this->same($other);
        return $this->minor <=> $other->minor;
    }

    /** Returns the decimal, for example `12.50`: without currency and without thousands separators. */
    public function toDecimal(): string
    {
        $digits = self::digits($this->currency);
        $text = str_pad((string) abs($this->minor), $digits + 1, '0', STR_PAD_LEFT);
        $sign = $this->minor < 0 ? '-' : '';
        return $digits === 0 ? $sign . $text : $sign . substr($text, 0, -$digits) . '.' . substr($text, -$digits);
    }

    /** `EUR 12.50` */
    public function __toString(): string
    {
        return "{$this->currency} {$this->toDecimal()}";
    }

    private function same(self $other): string
    {
        if ($other->currency !== $this->currency) {
            throw new \InvalidArgumentException("{$this->currency} and {$other->currency} are different currencies.");
        }
        return $this->currency;
    }

    private static function digits(string $currency): int
    {
        return Currencies::digits($currency)
            ?? throw new \InvalidArgumentException("Unknown currency {$currency}.");
    }
}
