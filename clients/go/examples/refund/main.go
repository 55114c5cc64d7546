// Refunds a part of a payment: `go run ./refund PAYMENT_ID`.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"tollgate.example/tollgate"
)

func main() {
	client, err := tollgate.New()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	request := tollgate.RefundRequest{
		RefundRequestID: tollgate.NewRequestID("refund"),
		PaymentID:       os.Args[1],
		// 2.50: amounts are in the smallest unit of their currency.
		RefundAmount:    tollgate.Amount{Currency: "EUR", Value: "250"},
		RefundReason:    "The second coffee was cold.",
		RefundNotifyURL: "https://shop.example/notify?shop=1",
	}
	if _, err := client.Payments.Refund(ctx, request); err != nil {
		log.Fatal(err)
	}
	refund, err := client.Payments.WaitForFinalRefund(ctx, tollgate.InquiryRefundRequest{RefundRequestID: request.RefundRequestID})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Refund %s: %s\n", refund.RefundID, refund.RefundStatus)
}
