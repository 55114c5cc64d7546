package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"tollgate.example/tollgate"
)

var mailboxURL = os.Getenv("MAILBOX_URL")

// fault tests that the client recovers from one broken response with its second attempt.
func (l *life) fault(ctx context.Context, kind string) error {
	once := payRequest()
	if err := spoil(ctx, kind); err != nil {
		return err
	}
	answer, err := l.shaky.Payments.Pay(ctx, once)
	if err != nil {
		return err
	}
	if err := check(answer.Call.Attempts == 2, answer.Call); err != nil {
		return err
	}
	return l.paidOnce(ctx, once, answer.PaymentID)
}

func (l *life) faultWithoutRetries(ctx context.Context, kind string) error {
	once := payRequest()
	if err := spoil(ctx, kind); err != nil {
		return err
	}
	_, err := l.shaky.Payments.Pay(ctx, once, tollgate.WithMaxRetries(0))
	if !errors.Is(err, tollgate.ErrOutcomeUnknown) || !isOfKind(err, kind) {
		return fmt.Errorf("another error: %w", err)
	}
	return l.payAgain(ctx, once)
}

func isOfKind(err error, kind string) bool {
	var (
		connection *tollgate.ConnectionError
		late       *tollgate.TimeoutError
		status     *tollgate.HTTPStatusError
	)
	switch kind {
	case "hang":
		return errors.As(err, &late)
	case "status-500":
		return errors.As(err, &status)
	}
	return errors.As(err, &connection)
}

func (l *life) tampered(ctx context.Context) error {
	once := payRequest()
	if err := spoil(ctx, "tamper"); err != nil {
		return err
	}
	_, err := l.shaky.Payments.Pay(ctx, once)
	var untrusted *tollgate.SignatureVerificationError
	if !errors.As(err, &untrusted) {
		return fmt.Errorf("another error: %w", err)
	}
	return l.payAgain(ctx, once)
}

func (l *life) payAgain(ctx context.Context, once tollgate.PayRequest) error {
	answer, err := l.shaky.Payments.Pay(ctx, once)
	if err != nil {
		return err
	}
	return l.paidOnce(ctx, once, answer.PaymentID)
}

// paidOnce checks that there is one payment, and one order at the provider, however often the request was
// sent.
func (l *life) paidOnce(ctx context.Context, sent tollgate.PayRequest, foundID string) error {
	known := tollgate.InquiryPaymentRequest{PaymentRequestID: sent.PaymentRequestID}
	found, err := l.client.Payments.InquiryPayment(ctx, known)
	if err != nil {
		return err
	}
	if err := check(foundID != "" && found.PaymentID == foundID, found); err != nil {
		return err
	}
	told, err := control(ctx, "GET", "orders?paymentId="+foundID, nil)
	if err != nil {
		return err
	}
	orders, _ := told["orders"].([]any)
	return check(len(orders) <= 1, orders)
}

// inStoreRequest is the request for a buyer who shows a code at a point of sale.
func inStoreRequest(ctx context.Context, buyer map[string]string) (tollgate.PayRequest, error) {
	request := payRequest()
	code, err := control(ctx, "POST", "payment-codes", buyer)
	if err != nil {
		return request, err
	}
	request.ProductCode = tollgate.ProductCodeInStorePayment
	request.Order.Merchant = tollgate.Merchant{
		ReferenceMerchantID: "m-1", MerchantName: "Coffee Lab", MerchantMCC: "5814",
		Store: tollgate.Store{ReferenceStoreID: "store-1", StoreName: "Coffee Lab, Harbour", StoreMCC: "5814"},
	}
	request.Order.Env = tollgate.StoreEnv{StoreTerminalID: "till-1", StoreTerminalRequestTime: "2026-11-15T09:30:00+00:00"}
	request.PaymentMethod = tollgate.PaymentMethod{
		PaymentMethodType: "CONNECT_WALLET", PaymentMethodID: fmt.Sprint(code["paymentCode"]),
	}
	request.PaymentFactor.InStorePaymentScenario = tollgate.InStorePaymentScenarioPaymentCode
	request.SettlementStrategy.SettlementCurrency = "EUR"
	return request, nil
}

// control calls the sandbox provider's control API, which acts as the buyer.
func control(ctx context.Context, method, path string, body map[string]string) (map[string]any, error) {
	header := http.Header{"Authorization": {"Bearer " + os.Getenv("CONTROL_SECRET")}}
	if body == nil {
		body = map[string]string{}
	}
	var told map[string]any
	err := ask(ctx, method, os.Getenv("WALLET_URL")+"/control/"+path, header, body, &told)
	return told, err
}

func spoil(ctx context.Context, kind string) error {
	return ask(ctx, "POST", os.Getenv("PROXY_URL")+"/fault", nil, map[string]string{"kind": kind}, nil)
}

func ask(ctx context.Context, method, address string, header http.Header, body map[string]string, told any) error {
	var content io.Reader
	if method == http.MethodPost {
		written, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(written)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("HTTP %d: %s", response.StatusCode, text)
	}
	if told == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, told)
}

// mail is a request that the mailbox received.
type mail struct {
	Method     string
	Path       string
	Headers    [][2]string
	BodyBase64 string
}

// hear waits for a webhook of this kind about a record, and verifies it.
func (l *life) hear(ctx context.Context, about string, kind tollgate.NotificationKind) (*tollgate.Notification, error) {
	for ; ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
		var mails []mail
		if err := ask(ctx, "GET", mailboxURL+"/mail?about="+url.QueryEscape(about), nil, nil, &mails); err != nil {
			return nil, err
		}
		for _, each := range mails {
			told, err := l.verified(each)
			if err != nil {
				return nil, err
			}
			if told.Kind == kind {
				return told, nil
			}
		}
	}
	return nil, fmt.Errorf("nobody told %s of %s", kind, about)
}

func (l *life) verified(each mail) (*tollgate.Notification, error) {
	header := http.Header{}
	for _, pair := range each.Headers {
		header.Add(pair[0], pair[1])
	}
	body, err := base64.StdEncoding.DecodeString(each.BodyBase64)
	if err != nil {
		return nil, err
	}
	return l.client.Webhooks.Construct(tollgate.Incoming{Method: each.Method, Path: each.Path, Header: header, Body: body})
}

func check(holds bool, what any) error {
	if holds {
		return nil
	}
	return fmt.Errorf("not as expected: %v", what)
}

func expect(err, kind error) error {
	if errors.Is(err, kind) {
		return nil
	}
	return fmt.Errorf("not %v, but %w", kind, err)
}
