// Reads everything that was told, from the beginning or after a cursor: `go run ./feed [CURSOR]`.
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
		// event.News is what ApplyOnce takes. Keep event.Cursor in the same transaction, and go on from there.
		if payment, isPayment := event.Body.(*tollgate.PaymentNotification); isPayment {
			fmt.Println(event.Cursor, payment.PaymentRequestID, payment.Result.ResultCode)
		}
	}
}
