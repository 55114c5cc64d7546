"""Amounts without floats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import total_ordering
from typing import TYPE_CHECKING

from . import models
from ._currencies import MINOR_DIGITS
from ._lazy import later

if TYPE_CHECKING:
    from . import params
else:
    params = later(__package__, "params")


@total_ordering
@dataclass(frozen=True, slots=True)
class Money:
    """An amount in the smallest unit of its currency: EUR 12.50 is 1250, JPY 1250 is 1250."""

    currency: str
    minor: int

    def __post_init__(self) -> None:
        _digits_of(self.currency)
        if not isinstance(self.minor, int) or isinstance(self.minor, bool):
            raise TypeError(
                f"An amount must be a whole number of the smallest unit, not {self.minor!r}."
            )

    @classmethod
    def of(cls, currency: str, decimal: str | Decimal | int) -> Money:
        """Reads a decimal, such as `Money.of("EUR", "12.50")`. Rejects floats, and more decimals
        than the currency has.
        """
        digits = _digits_of(currency)
        if isinstance(decimal, (bool, float)) or not isinstance(decimal, (str, Decimal, int)):
            raise TypeError(f"An amount must be text or a Decimal, not {decimal!r}.")
        text = format(decimal, "f") if isinstance(decimal, Decimal) else str(decimal)
        match = re.fullmatch(r"(-?)([0-9]{1,16})(?:\.([0-9]+))?", text)
        if not match:
            raise ValueError(f"Invalid amount: {text}")
        sign, whole, fraction = match[1], match[2], match[3] or ""
        if len(fraction) > digits:
            raise ValueError(f"{currency} has {digits} decimals, and not {len(fraction)}.")
        minor = int(whole + fraction.ljust(digits, "0"))
        return cls(currency, -minor if sign else minor)

    @classmethod
    def of_minor(cls, currency: str, minor: int) -> Money:
        return cls(currency, minor)

    @classmethod
    def from_amount(cls, amount: models.Amount | params.AmountDict) -> Money:
        """Reads the wire format."""
        if isinstance(amount, models.Amount):
            currency, value = amount.currency, amount.value
        else:
            currency, value = amount["currency"], amount["value"]
        if not re.fullmatch("[0-9]{1,16}", value):
            raise ValueError(f"Invalid amount: {value}")
        return cls(currency, int(value))

    def to_amount(self) -> models.Amount:
        """Writes the wire format, which does not allow negative amounts."""
        if self.minor < 0:
            raise ValueError("A negative amount cannot be sent.")
        return models.Amount(currency=self.currency, value=str(self.minor))

    def add(self, other: Money) -> Money:
        return Money(self._same(other), self.minor + other.minor)

    def subtract(self, other: Money) -> Money:
        return Money(self._same(other), self.minor - other.minor)

    __add__ = add
    __sub__ = subtract

    def compare(self, other: Money) -> int:
        """Returns a negative number, zero or a positive number."""
        self._same(other)
        return (self.minor > other.minor) - (self.minor < other.minor)

    def __lt__(self, other: Money) -> bool:
        return self.compare(other) < 0

    def to_decimal(self) -> Decimal:
        """Returns the amount as a decimal, for example `Decimal("12.50")`, with all decimals that
        the currency has.
        """
        return Decimal(self.minor).scaleb(-_digits_of(self.currency))

    def __str__(self) -> str:
        """`EUR 12.50`"""
        return f"{self.currency} {self.to_decimal():f}"

    def _same(self, other: Money) -> str:
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} and {other.currency} are different currencies.")
        return self.currency


def _digits_of(currency: str) -> int:
    if currency not in MINOR_DIGITS:
        raise ValueError(f"Unknown currency {currency}.")
    return MINOR_DIGITS[currency]
