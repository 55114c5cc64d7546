//go:build gateway

package tollgatetest_test

import (
	"context"
	"testing"
	"time"

	"tollgate.example/tollgate"
	"tollgate.example/tollgate/tollgatetest"
)

// A complete gateway, started with TOLLGATE_COMMAND: a paid payment, a declined payment, and a second run
// with its own isolated test merchant.
func TestStart(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	started, err := tollgatetest.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := started.Stop(); err != nil {
			t.Error(err)
		}
	}()
	if status := paid(ctx, t, started, started.Approve); status != tollgate.PaymentStatusSuccess {
		t.Error(status)
	}
	if status := paid(ctx, t, started, started.Decline); status != tollgate.PaymentStatusFail {
		t.Error(status)
	}
	shared, err := tollgatetest.Start(ctx)
	if err != nil || shared.ClientID != started.ClientID {
		t.Fatal(shared, err)
	}
	if err := shared.Stop(); err != nil {
		t.Error(err)
	}
}

func paid(
	ctx context.Context, t *testing.T, started *tollgatetest.Tollgate, decide func(context.Context, string) error,
) tollgate.PaymentStatus {
	t.Helper()
	price := tollgate.Amount{Currency: "EUR", Value: "1250"}
	answer, err := started.Client.Payments.Pay(ctx, tollgate.PayRequest{
		ProductCode:        tollgate.ProductCodeCashierPayment,
		PaymentRequestID:   tollgate.NewRequestID("order"),
		Order:              tollgate.Order{ReferenceOrderID: "1", OrderDescription: "Two coffees", OrderAmount: price},
		PaymentAmount:      price,
		PaymentMethod:      tollgate.PaymentMethod{PaymentMethodType: "GCASH"},
		PaymentRedirectURL: "https://shop.example/thanks",
		Env:                tollgate.Env{TerminalType: "WEB"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := decide(ctx, answer.PaymentID); err != nil {
		t.Fatal(err)
	}
	payment, err := started.Client.Payments.WaitForFinal(ctx, tollgate.InquiryPaymentRequest{PaymentID: answer.PaymentID})
	if err != nil {
		t.Fatal(err)
	}
	return payment.PaymentStatus
}
