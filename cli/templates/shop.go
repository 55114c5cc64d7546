// A shop in one file: it starts a payment, receives the webhook, and refunds.
//
//	npx --no tollgate dev   in one terminal: the gateway, and the settings for this file
//	go run shop.go          in another
package main

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"

	"tollgate.example/tollgate"
)

func main() {
	loadSettings()
	client, err := tollgate.New(tollgate.WithLogger(slog.Default()))
	if err != nil {
		leave(err.Error())
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		leave("Port " + port + " is in use. Choose another: PORT=3001 go run shop.go")
	}
	paid := make(chan string, 1)
	go serve(listener, client, paid)
	if err := sell(context.Background(), client, "http://127.0.0.1:"+port, paid); err != nil {
		leave(err.Error())
	}
	select {}
}

// loadSettings reads address, client id and keys, as `tollgate dev` writes them. Environment variables have precedence.
func loadSettings() {
	for _, name := range []string{".env", ".tollgate/.env"} {
		file, err := os.Open(name)
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), "=")
			if _, isSet := os.LookupEnv(name); !isSet && strings.HasPrefix(name, "TOLLGATE_") {
				_ = os.Setenv(name, value)
			}
		}
		_ = file.Close()
	}
	if os.Getenv("TOLLGATE_CLIENT_ID") == "" {
		leave("No settings found. Start the gateway in this folder first: npx --no tollgate dev")
	}
}

// serve receives webhooks: the handler verifies, applies and acknowledges. A forged webhook is answered with 401.
func serve(listener net.Listener, client *tollgate.Client, paid chan<- string) {
	mux := http.NewServeMux()
	mux.Handle("/notify", client.Webhooks.Handler(func(_ context.Context, notification *tollgate.Notification) error {
		apply(notification, paid)
		return nil
	}))
	mux.HandleFunc("/", func(writer http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(writer, "Thank you. See the terminal for the result.")
	})
	leave(http.Serve(listener, mux).Error())
}

// apply is where you would update your order, in a transaction, and once: tollgate.ApplyOnce does this.
func apply(notification *tollgate.Notification, paid chan<- string) {
	switch told := notification.Body.(type) {
	case *tollgate.PaymentNotification:
		fmt.Printf("verified notifyPayment: %s, payment %s\n", told.Result.ResultCode, told.PaymentID)
		// Check IsPaid and never ResultStatus: a pending payment has the result status S as well.
		if told.IsPaid() {
			select {
			case paid <- told.PaymentID:
			default:
			}
		}
	case *tollgate.RefundNotification:
		fmt.Printf("verified notifyRefund: %s, refund %s\n", told.RefundStatus, told.RefundID)
	default:
		fmt.Println("verified", notification.Kind)
	}
}

func sell(ctx context.Context, client *tollgate.Client, shopURL string, paid <-chan string) error {
	// 12.50 euro: amounts are in the smallest unit of their currency.
	price := tollgate.Amount{Currency: "EUR", Value: "1250"}
	payment, err := client.Payments.Pay(ctx, tollgate.PayRequest{
		ProductCode: tollgate.ProductCodeCashierPayment,
		// Store this id with the order before you send the request: repeats with this id are the same payment.
		PaymentRequestID:   tollgate.NewRequestID("order-1001"),
		Order:              tollgate.Order{ReferenceOrderID: "order-1001", OrderDescription: "Two coffees", OrderAmount: price},
		PaymentAmount:      price,
		PaymentMethod:      tollgate.PaymentMethod{PaymentMethodType: "GCASH"},
		PaymentRedirectURL: shopURL + "/thanks",
		PaymentNotifyURL:   shopURL + "/notify",
		Env:                tollgate.Env{TerminalType: "WEB"},
	})
	if err != nil {
		return err
	}
	fmt.Println("Pay as the buyer at", payment.NormalURL)
	fmt.Println("or with: npx --no tollgate approve", payment.PaymentID)

	refund, err := client.Payments.Refund(ctx, tollgate.RefundRequest{
		PaymentID:       <-paid,
		RefundRequestID: tollgate.NewRequestID("refund-1001"),
		RefundAmount:    price,
		RefundNotifyURL: shopURL + "/notify",
	})
	if err != nil {
		return err
	}
	fmt.Println("refunded:", refund.Result.ResultCode)
	fmt.Println("Still listening. Ctrl-C stops it.")
	return nil
}

func leave(why string) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(1)
}
