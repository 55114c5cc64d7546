// What can go wrong, and what it means for the money.
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
		// A refusal is signed: it did not happen, and it will not.
		fmt.Printf("%s for %s: %s\n", refusal.Code, refusal.Operation, refusal.Advice)
	case errors.As(err, &untrusted):
		// Somebody spoke who is not the gateway, or its key is not the one that you have.
		fmt.Println("Not trusted:", untrusted.Reason)
	case errors.Is(err, tollgate.ErrOutcomeUnknown) && errors.As(err, &failed):
		// Nobody knows. The library has tried again; repeat the call with the same id later, or inquire.
		fmt.Printf("Unknown after %d attempts: %s\n", failed.Facts().Attempts, failed.Facts().RequestID)
	default:
		log.Fatal(err)
	}
}
