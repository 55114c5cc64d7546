// Receives webhooks with net/http: verify, apply once, acknowledge.
package main

import (
	"context"
	"log"
	"log/slog"
	"net/http"
	"os"

	"shop.example/orders"
	"tollgate.example/tollgate"
)

func main() {
	// A program that only receives webhooks needs no private key.
	webhooks, err := tollgate.NewWebhooks(tollgate.WithLogger(slog.Default()))
	if err != nil {
		log.Fatal(err)
	}
	shop, err := orders.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/notify", webhooks.Handler(shop.Apply))
	mux.Handle("POST /orders", shop)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), mux))
}
