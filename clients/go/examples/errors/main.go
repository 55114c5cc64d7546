// Shows the errors and what each of them means for the payment.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"tollgate.example/tollgate"
)

func main() {
	client, err := tollgate.New()
	if err != nil {
		log.Fatal(err)
	}
	_, err = client.Payments.InquiryPayment(context.Background(), tollgate.InquiryPaymentRequest{PaymentID: "20260101000000"})

	var refusal *tollgate.ResultError
	var untrusted *tollgate.SignatureVerificationError
	var failed tollgate.GatewayError
	switch {
	case err == nil:
		fmt.Println("Found.")
	case errors.Is(err, tollgate.ErrNotFound):
		fmt.Println("There is no such payment.")
	case errors.As(err, &refusal):
		// The rejection is signed and final: no money was taken.
		fmt.Printf("%s for %s: %s\n", refusal.Code, refusal.Operation, refusal.Advice)
	case errors.As(err, &untrusted):
		// The response is not from the gateway, or you have a wrong public key of the gateway.
		fmt.Println("Not trusted:", untrusted.Reason)
	case errors.Is(err, tollgate.ErrOutcomeUnknown) && errors.As(err, &failed):
		// The outcome is unknown, also after the library's retries. Retry later with the same id, or inquire.
		fmt.Printf("Unknown after %d attempts: %s\n", failed.Facts().Attempts, failed.Facts().RequestID)
	default:
		log.Fatal(err)
	}
}
