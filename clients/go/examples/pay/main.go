// Takes a payment. The client reads its keys and the gateway's address from the environment.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"tollgate.example/tollgate"
)

func main() {
	client, err := tollgate.New()
	if err != nil {
		log.Fatal(err)
	}
	shopURL := os.Getenv("SHOP_URL")
	if shopURL == "" {
		shopURL = "https://shop.example"
	}
	money, err := tollgate.MoneyOf("EUR", "12.50")
	if err != nil {
		log.Fatal(err)
	}
	price, err := money.Amount()
	if err != nil {
		log.Fatal(err)
	}
	request := tollgate.PayRequest{
		ProductCode: tollgate.ProductCodeCashierPayment,
		// Store this id with the order before the call. A request with the same id is always the same
		// payment.
		PaymentRequestID: tollgate.NewRequestID("order-1001"),
		Order: tollgate.Order{
			ReferenceOrderID: "order-1001",
			OrderDescription: "Two coffees",
			OrderAmount:      price,
		},
		PaymentAmount:      price,
		PaymentMethod:      tollgate.PaymentMethod{PaymentMethodType: "GCASH"},
		PaymentRedirectURL: shopURL + "/thanks",
		// Without this URL you get no webhook; see notify.
		PaymentNotifyURL: shopURL + "/notify?shop=1",
		Env:              tollgate.Env{TerminalType: "WEB"},
	}

	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	answer, err := client.Payments.Pay(ctx, request)
	var refusal *tollgate.ResultError
	if errors.As(err, &refusal) {
		log.Fatalf("No payment: %s. %s", refusal.Code, refusal.Advice)
	}
	if err != nil {
		// The outcome is unknown: retry with the same id.
		log.Fatal(err)
	}
	if answer.IsPending() {
		fmt.Printf("Payment %s waits for the buyer at %s\n", answer.PaymentID, answer.NormalURL)
	}

	known := tollgate.InquiryPaymentRequest{PaymentRequestID: request.PaymentRequestID}
	payment, err := client.Payments.WaitForFinal(ctx, known)
	if err != nil {
		log.Fatal(err)
	}
	if !payment.IsPaid() {
		log.Fatalf("Not paid: %s", payment.PaymentStatus)
	}
	fmt.Println("Paid:", payment.PaymentID)
}
