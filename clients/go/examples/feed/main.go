// Reads all webhooks from the beginning or after a cursor: `go run ./feed [CURSOR]`.
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
	options := tollgate.EventsOptions{}
	if len(os.Args) > 1 {
		options.From = os.Args[1]
	}
	for event, err := range client.Tollgate.Events(context.Background(), options) {
		if err != nil {
			log.Fatal(err)
		}
		// ApplyOnce accepts event.News. Store event.Cursor in the same transaction, and continue from there.
		if payment, isPayment := event.Body.(*tollgate.PaymentNotification); isPayment {
			fmt.Println(event.Cursor, payment.PaymentRequestID, payment.Result.ResultCode)
		}
	}
}
