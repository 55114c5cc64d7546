// Takes a payment at a point of sale: `go run ./instore CODE`, with the code in the buyer's wallet.
package main

import (
	"context"
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
	price := tollgate.Amount{Currency: "EUR", Value: "420"}
	request := tollgate.PayRequest{
		ProductCode:      tollgate.ProductCodeInStorePayment,
		PaymentRequestID: tollgate.NewRequestID("till-1"),
		Order: tollgate.Order{
			ReferenceOrderID: "receipt-77",
			OrderDescription: "One coffee",
			OrderAmount:      price,
			Merchant: tollgate.Merchant{
				ReferenceMerchantID: "m-1",
				MerchantName:        "Coffee Lab",
				MerchantMCC:         "5814",
				Store:               tollgate.Store{ReferenceStoreID: "store-1", StoreName: "Coffee Lab, Harbour", StoreMCC: "5814"},
			},
			Env: tollgate.StoreEnv{StoreTerminalID: "till-1", StoreTerminalRequestTime: tollgate.FormatTime(time.Now())},
		},
		PaymentAmount:      price,
		PaymentMethod:      tollgate.PaymentMethod{PaymentMethodType: "CONNECT_WALLET", PaymentMethodID: os.Args[1]},
		PaymentNotifyURL:   "https://shop.example/notify",
		PaymentFactor:      tollgate.PaymentFactor{InStorePaymentScenario: tollgate.InStorePaymentScenarioPaymentCode},
		SettlementStrategy: tollgate.SettlementStrategy{SettlementCurrency: "EUR"},
	}
	// Store the id before the call. After a crash of the point of sale, FinishByCode continues with it. When
	// the context ends, the payment is cancelled, and the result reports the outcome.
	result, err := client.Payments.PayByCode(context.Background(), request, tollgate.TillOptions{
		OnState: func(state tollgate.TillState) { fmt.Println("…", state) },
	})
	if err != nil {
		log.Fatal(err)
	}
	switch result.Outcome {
	case tollgate.TillPaid:
		fmt.Println("Paid at the till:", result.PaymentID)
	case tollgate.TillDeclined:
		log.Fatalf("Ask for another way to pay: %s. %s", result.ResultCode, result.Advice)
	case tollgate.TillCancelled:
		log.Fatal("Cancelled.")
	default:
		log.Fatalf("Keep the goods, and finish %s later.", result.PaymentRequestID)
	}
}
