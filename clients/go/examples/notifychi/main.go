// Receives webhooks with chi. No middleware may read the body before it is verified.
package main

import (
	"context"
	"log"
	"log/slog"
	"net/http"
	"os"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"shop.example/orders"
	"tollgate.example/tollgate"
)

func main() {
	webhooks, err := tollgate.NewWebhooks(tollgate.WithLogger(slog.Default()))
	if err != nil {
		log.Fatal(err)
	}
	shop, err := orders.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	router := chi.NewRouter()
	router.Use(middleware.RequestID, middleware.Recoverer)
	router.Method(http.MethodPost, "/notify", webhooks.Handler(shop.Apply))
	router.Method(http.MethodPost, "/orders", shop)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), router))
}
