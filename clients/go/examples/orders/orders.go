// Package orders is the shop of the examples: its orders, here in PostgreSQL, and how a webhook updates them.
package orders

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	_ "github.com/lib/pq"
	"tollgate.example/tollgate"
)

// Shop stores its orders in a database.
type Shop struct{ database *sql.DB }

// Open creates the missing tables. In a shop, they belong in your migrations.
func Open(ctx context.Context) (*Shop, error) {
	database, err := sql.Open("postgres", os.Getenv("DATABASE_URL"))
	if err != nil {
		return nil, err
	}
	for _, statement := range []string{
		tollgate.PostgreSQL.CreateTable(),
		"create table if not exists orders (payment_request_id text primary key, status text)",
	} {
		if _, err := database.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	return &Shop{database}, nil
}

// Apply updates an order from a webhook once: a webhook can arrive twice, and webhooks can arrive out of
// order.
func (s *Shop) Apply(ctx context.Context, notification *tollgate.Notification) error {
	transaction, err := s.database.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	// A no-op after the commit.
	defer func() { _ = transaction.Rollback() }()
	settle := func(ctx context.Context) error { return settled(ctx, transaction, notification) }
	if _, err := tollgate.ApplyOnce(ctx, transaction, tollgate.PostgreSQL, notification.News, settle); err != nil {
		return err
	}
	return transaction.Commit()
}

// settled updates your order from a webhook about a payment. Webhooks report failures, too.
func settled(ctx context.Context, transaction *sql.Tx, notification *tollgate.Notification) error {
	payment, isPayment := notification.Body.(*tollgate.PaymentNotification)
	// The payment is pending, or its money is only held: it is not paid yet.
	if !isPayment || payment.IsPending() || payment.IsAuthorized() {
		return nil
	}
	status := "FAILED"
	if payment.IsPaid() {
		status = "PAID"
	}
	const update = "update orders set status = $1 where payment_request_id = $2"
	result, err := transaction.ExecContext(ctx, update, status, payment.PaymentRequestID)
	if err != nil {
		return err
	}
	if rows, err := result.RowsAffected(); err != nil || rows == 0 {
		// If the order does not exist yet, fail: the gateway sends the webhook again, and the order may exist
		// by then.
		return fmt.Errorf("there is no order %s yet: %w", payment.PaymentRequestID, err)
	}
	return nil
}

// ServeHTTP is another route of the shop, unrelated to the gateway.
func (s *Shop) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	var order struct {
		PaymentRequestID string `json:"paymentRequestId"`
		Status           string `json:"status"`
	}
	if err := json.NewDecoder(request.Body).Decode(&order); err != nil {
		http.Error(writer, "The body is not JSON.", http.StatusBadRequest)
		return
	}
	const keep = "insert into orders values ($1, 'WAITING') on conflict (payment_request_id) do update set status = orders.status returning status"
	if err := s.database.QueryRowContext(request.Context(), keep, order.PaymentRequestID).Scan(&order.Status); err != nil {
		http.Error(writer, "The shop is closed.", http.StatusInternalServerError)
		return
	}
	writer.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(writer).Encode(order)
}
