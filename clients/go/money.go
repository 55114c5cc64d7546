package tollgate

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Money is an amount in the smallest unit of its currency, without floats: EUR 12.50 is 1250, JPY 1250 is
// 1250. Its zero value has no currency and cannot be sent.
type Money struct {
	currency string
	// minor is nil in the zero value, and never changes.
	minor *big.Int
}

var (
	decimalForm = regexp.MustCompile(`^(-?)([0-9]{1,16})(?:\.([0-9]+))?$`)
	wireForm    = regexp.MustCompile(`^[0-9]{1,16}$`)
)

// MoneyOf reads a decimal, such as MoneyOf("EUR", "12.50"). It rejects more decimals than the currency has.
func MoneyOf(currency, decimal string) (Money, error) {
	digits, err := digitsOf(currency)
	if err != nil {
		return Money{}, err
	}
	match := decimalForm.FindStringSubmatch(decimal)
	if match == nil {
		return Money{}, misconfigured("Invalid amount: %s", decimal)
	}
	fraction := match[3]
	if len(fraction) > digits {
		return Money{}, misconfigured("%s has %d decimals, and not %d.", currency, digits, len(fraction))
	}
	minor, _ := new(big.Int).SetString(match[1]+match[2]+fraction+strings.Repeat("0", digits-len(fraction)), 10)
	return Money{currency, minor}, nil
}

// MoneyOfMinor returns an amount in the smallest unit.
func MoneyOfMinor(currency string, minor int64) (Money, error) {
	_, err := digitsOf(currency)
	return Money{currency, big.NewInt(minor)}, err
}

// MoneyFrom reads the wire format.
func MoneyFrom(amount Amount) (Money, error) {
	if _, err := digitsOf(amount.Currency); err != nil {
		return Money{}, err
	}
	if !wireForm.MatchString(amount.Value) {
		return Money{}, misconfigured("Invalid amount: %s", amount.Value)
	}
	minor, _ := new(big.Int).SetString(amount.Value, 10)
	return Money{amount.Currency, minor}, nil
}

// Currency returns the ISO 4217 code.
func (m Money) Currency() string { return m.currency }

// Minor returns a copy of the amount in the smallest unit.
func (m Money) Minor() *big.Int {
	if m.minor == nil {
		return new(big.Int)
	}
	return new(big.Int).Set(m.minor)
}

// Amount returns the wire format, which does not allow negative amounts.
func (m Money) Amount() (Amount, error) {
	if _, err := digitsOf(m.currency); err != nil {
		return Amount{}, err
	}
	if m.Minor().Sign() < 0 {
		return Amount{}, misconfigured("A negative amount cannot be sent.")
	}
	return Amount{Currency: m.currency, Value: m.Minor().String()}, nil
}

// Add returns an error if the currencies differ.
func (m Money) Add(other Money) (Money, error) {
	sum := m.Minor()
	return Money{m.currency, sum.Add(sum, other.Minor())}, m.same(other)
}

// Subtract returns an error if the currencies differ.
func (m Money) Subtract(other Money) (Money, error) {
	rest := m.Minor()
	return Money{m.currency, rest.Sub(rest, other.Minor())}, m.same(other)
}

// Compare returns a negative number, zero or a positive number, as slices.SortFunc needs it. It returns an
// error if the currencies differ.
func (m Money) Compare(other Money) (int, error) {
	return m.Minor().Cmp(other.Minor()), m.same(other)
}

// Decimal returns, for example, 12.50: without currency and without thousands separators.
func (m Money) Decimal() string {
	digits, err := digitsOf(m.currency)
	if err != nil {
		digits = 0
	}
	text := strings.TrimPrefix(m.Minor().String(), "-")
	if missing := digits + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	if digits > 0 {
		text = text[:len(text)-digits] + "." + text[len(text)-digits:]
	}
	if m.Minor().Sign() < 0 {
		return "-" + text
	}
	return text
}

// String returns, for example, EUR 12.50.
func (m Money) String() string { return strings.TrimSpace(m.currency + " " + m.Decimal()) }

func (m Money) same(other Money) error {
	if m.currency == other.currency {
		return nil
	}
	return misconfigured("%s and %s are different currencies.", m.currency, other.currency)
}

func digitsOf(currency string) (int, error) {
	digits, isKnown := minorDigits(currency)
	if !isKnown {
		return 0, misconfigured("Unknown currency %s.", fmt.Sprintf("%q", currency))
	}
	return digits, nil
}
