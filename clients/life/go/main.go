// Runs the payment lifecycle: lifecycle-steps.ts names the steps, README.md describes them.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"tollgate.example/tollgate"
)

// life is the state that the steps share.
type life struct {
	client *tollgate.Client
	// shaky sends through the fault proxy.
	shaky     *tollgate.Client
	request   tollgate.PayRequest
	paymentID string
}

// step returns nil if it passes, or else the problem.
type step struct {
	name string
	live func(context.Context) error
}

func main() {
	client, err := clientAt(os.Getenv("BASE_URL"), 30*time.Second)
	shaky, shakyError := clientAt(os.Getenv("PROXY_URL"), 2*time.Second)
	if err := errors.Join(err, shakyError); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	lived := &life{client: client, shaky: shaky, request: payRequest()}
	for _, each := range lived.steps() {
		ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
		verdict := "ok"
		if err := each.live(ctx); err != nil {
			verdict = "FAILED " + strings.Join(strings.Fields(fmt.Sprintf("%T: %v", err, err)), " ")
		}
		stop()
		fmt.Println(each.name, verdict)
	}
}

func clientAt(baseURL string, timeout time.Duration) (*tollgate.Client, error) {
	privateKey, err := os.ReadFile(os.Getenv("PRIVATE_KEY_FILE"))
	publicKey, publicError := os.ReadFile(os.Getenv("GATEWAY_PUBLIC_KEY_FILE"))
	keyVersion, versionError := strconv.Atoi(os.Getenv("KEY_VERSION"))
	if err := errors.Join(err, publicError, versionError); err != nil {
		return nil, err
	}
	return tollgate.New(
		tollgate.WithClientID(os.Getenv("CLIENT_ID")),
		tollgate.WithEnvironment(tollgate.Sandbox),
		tollgate.WithKeyVersion(keyVersion),
		tollgate.WithPrivateKey(string(privateKey)),
		tollgate.WithGatewayPublicKey(string(publicKey)),
		tollgate.WithBaseURL(baseURL),
		tollgate.WithTimeout(timeout),
	)
}

func (l *life) steps() []step {
	steps := []step{
		{"pay", l.pay},
		{"approve", l.approve},
		{"notification", l.notification},
		{"refund-part", l.refundPart},
		{"refund-notification", l.refundNotification},
		{"inquiry", l.inquiry},
		{"feed", l.feed},
		{"repeat", l.repeat},
		{"conflict", l.conflict},
		{"declined", l.declined},
		{"not-found", l.notFound},
		{"in-store", l.inStore},
		{"authorization", l.authorization},
		{"dispute", l.dispute},
	}
	kinds := []string{"reset", "hang", "status-500", "truncate"}
	for _, kind := range kinds {
		steps = append(steps, step{"fault-" + kind, func(ctx context.Context) error { return l.fault(ctx, kind) }})
	}
	steps = append(steps, step{"fault-tamper", l.tampered})
	for _, kind := range kinds {
		live := func(ctx context.Context) error { return l.faultWithoutRetries(ctx, kind) }
		steps = append(steps, step{"fault-" + kind + "-no-retries", live})
	}
	return steps
}

func eur(value string) tollgate.Amount { return tollgate.Amount{Currency: "EUR", Value: value} }

func payRequest() tollgate.PayRequest {
	return tollgate.PayRequest{
		ProductCode:      tollgate.ProductCodeCashierPayment,
		PaymentRequestID: tollgate.NewRequestID("life"),
		Order: tollgate.Order{
			ReferenceOrderID: "order-1001",
			OrderDescription: "Two coffees",
			OrderAmount:      eur("1250"),
		},
		PaymentAmount:      eur("1250"),
		PaymentMethod:      tollgate.PaymentMethod{PaymentMethodType: "GCASH"},
		PaymentRedirectURL: "https://shop.example/thanks",
		PaymentNotifyURL:   mailboxURL + "/notify?shop=1",
		Env:                tollgate.Env{TerminalType: "WEB"},
	}
}

func (l *life) pay(ctx context.Context) error {
	answer, err := l.client.Payments.Pay(ctx, l.request)
	if err != nil {
		return err
	}
	l.paymentID = answer.PaymentID
	return check(answer.IsPending() && answer.NormalURL != "", answer)
}

func (l *life) approve(ctx context.Context) error {
	if _, err := control(ctx, "POST", "payments/"+l.paymentID+"/approve", nil); err != nil {
		return err
	}
	paid, err := l.client.Payments.WaitForFinal(ctx, tollgate.InquiryPaymentRequest{PaymentID: l.paymentID})
	if err != nil {
		return err
	}
	return check(paid.PaymentStatus == tollgate.PaymentStatusSuccess, paid)
}

func (l *life) notification(ctx context.Context) error {
	told, err := l.hear(ctx, l.paymentID, tollgate.NotificationKindNotifyPayment)
	if err != nil {
		return err
	}
	body, isPayment := told.Body.(*tollgate.PaymentNotification)
	if !isPayment || body.PaymentRequestID != l.request.PaymentRequestID {
		return fmt.Errorf("not ours: %v", told.Body)
	}
	return check(told.Subject == "notifyPayment "+l.paymentID, told.Subject)
}

func (l *life) refundPart(ctx context.Context) error {
	refund := tollgate.RefundRequest{
		RefundRequestID: tollgate.NewRequestID("refund"),
		PaymentID:       l.paymentID,
		RefundAmount:    eur("250"),
		RefundNotifyURL: mailboxURL + "/notify",
	}
	answer, err := l.client.Payments.Refund(ctx, refund)
	if err != nil {
		return err
	}
	if err := check(answer.IsSuccess() || answer.IsPending(), answer); err != nil {
		return err
	}
	inquiry := tollgate.InquiryRefundRequest{RefundRequestID: refund.RefundRequestID}
	final, err := l.client.Payments.WaitForFinalRefund(ctx, inquiry)
	if err != nil {
		return err
	}
	return check(final.RefundStatus == tollgate.RefundStatusSuccess && final.RefundAmount.Value == "250", final)
}

func (l *life) refundNotification(ctx context.Context) error {
	told, err := l.hear(ctx, l.paymentID, tollgate.NotificationKindNotifyRefund)
	if err != nil {
		return err
	}
	body, isRefund := told.Body.(*tollgate.RefundNotification)
	return check(isRefund && body.RefundStatus == "SUCCESS", told.Body)
}

func (l *life) inquiry(ctx context.Context) error {
	request := tollgate.InquiryPaymentRequest{PaymentRequestID: l.request.PaymentRequestID}
	answer, err := l.client.Payments.InquiryPayment(ctx, request)
	if err != nil {
		return err
	}
	isRight := answer.PaymentStatus == tollgate.PaymentStatusSuccess &&
		len(answer.Transactions) == 1 && answer.Transactions[0].TransactionType == "REFUND"
	return check(isRight, answer)
}

func (l *life) feed(ctx context.Context) error {
	awaited, count := "notifyPayment "+l.paymentID, 0
	for event, err := range l.client.Tollgate.Events(ctx, tollgate.EventsOptions{Follow: true}) {
		if err != nil {
			return err
		}
		if event.Subject != awaited {
			continue
		}
		if count++; count == 2 {
			break
		}
		// All pages are read, so the next event arrives by the stream.
		other, err := l.client.Payments.Pay(ctx, payRequest())
		if err != nil {
			return err
		}
		if _, err := control(ctx, "POST", "payments/"+other.PaymentID+"/approve", nil); err != nil {
			return err
		}
		awaited = "notifyPayment " + other.PaymentID
	}
	return check(count == 2, awaited)
}

func (l *life) repeat(ctx context.Context) error {
	again, err := l.client.Payments.Pay(ctx, l.request)
	if err != nil {
		return err
	}
	return check(again.IsSuccess() && again.PaymentID == l.paymentID, again)
}

func (l *life) conflict(ctx context.Context) error {
	other := l.request
	other.PaymentAmount, other.Order.OrderAmount = eur("1300"), eur("1300")
	_, err := l.client.Payments.Pay(ctx, other)
	return expect(err, tollgate.ErrIdempotencyConflict)
}

func (l *life) declined(ctx context.Context) error {
	poor, err := inStoreRequest(ctx, map[string]string{"declines": "USER_BALANCE_NOT_ENOUGH"})
	if err != nil {
		return err
	}
	_, err = l.client.Payments.Pay(ctx, poor)
	var refusal *tollgate.ResultError
	if !errors.As(err, &refusal) || !errors.Is(err, tollgate.ErrDeclined) {
		return fmt.Errorf("not declined: %w", err)
	}
	isRight := refusal.Code == tollgate.ResultCodeUserBalanceNotEnough && refusal.RequestID == poor.PaymentRequestID
	return check(isRight, refusal)
}

func (l *life) notFound(ctx context.Context) error {
	_, err := l.client.Payments.InquiryPayment(ctx, tollgate.InquiryPaymentRequest{PaymentID: "20260101000000"})
	return expect(err, tollgate.ErrNotFound)
}

func (l *life) inStore(ctx context.Context) error {
	scanned, err := inStoreRequest(ctx, nil)
	if err != nil {
		return err
	}
	answer, err := l.client.Payments.Pay(ctx, scanned)
	if err != nil || answer.IsSuccess() {
		return err
	}
	known := tollgate.InquiryPaymentRequest{PaymentRequestID: scanned.PaymentRequestID}
	paid, err := l.client.Payments.WaitForFinal(ctx, known)
	if err != nil {
		return err
	}
	return check(paid.PaymentStatus == tollgate.PaymentStatusSuccess, paid)
}

func (l *life) authorization(ctx context.Context) error {
	state := tollgate.NewRequestID("state")
	_, err := l.client.Authorizations.Consult(ctx, tollgate.AuthorizationConsultRequest{
		CustomerBelongsTo: "GCASH",
		AuthRedirectURL:   "https://shop.example/linked",
		Scopes:            []tollgate.Scope{"AGREEMENT_PAY"},
		AuthState:         state,
		Env:               tollgate.AuthorizationConsultRequestEnv{TerminalType: "WEB"},
	})
	if err != nil {
		return err
	}
	agreed, err := control(ctx, "POST", "authorizations/"+state+"/agree", nil)
	if err != nil {
		return err
	}
	back, err := url.Parse(fmt.Sprint(agreed["redirectUrl"]))
	if err != nil {
		return err
	}
	grant, err := l.client.Authorizations.ApplyToken(ctx, tollgate.ApplyTokenRequest{
		GrantType: "AUTHORIZATION_CODE", CustomerBelongsTo: "GCASH", AuthCode: back.Query().Get("authCode"),
	})
	if err != nil {
		return err
	}
	agreement := payRequest()
	agreement.ProductCode = tollgate.ProductCodeAgreementPayment
	agreement.PaymentMethod.PaymentMethodID = grant.AccessToken
	if shown := fmt.Sprintf("%v %+v %#v", agreement, agreement, agreement); strings.Contains(shown, grant.AccessToken) {
		return errors.New("the token is not masked")
	}
	paid, err := l.client.Payments.Pay(ctx, agreement)
	if err != nil {
		return err
	}
	if err := check(paid.IsSuccess(), paid); err != nil {
		return err
	}
	revoked, err := l.client.Authorizations.Revoke(ctx, tollgate.RevokeRequest{AccessToken: grant.AccessToken})
	if err != nil {
		return err
	}
	return check(revoked.IsSuccess(), revoked)
}

func (l *life) dispute(ctx context.Context) error {
	answer, err := l.client.Payments.Pay(ctx, payRequest())
	if err != nil {
		return err
	}
	id := answer.PaymentID
	if _, err := control(ctx, "POST", "payments/"+id+"/approve", nil); err != nil {
		return err
	}
	if _, err := l.client.Payments.WaitForFinal(ctx, tollgate.InquiryPaymentRequest{PaymentID: id}); err != nil {
		return err
	}
	endpoint := tollgate.NotifyURL{NotificationKind: tollgate.NotificationKindNotifyDispute, URL: mailboxURL + "/notify"}
	change := tollgate.ChangeEndpointsRequest{NotifyURLs: []tollgate.NotifyURL{endpoint}}
	if _, err := l.client.Tollgate.ChangeEndpoints(ctx, change); err != nil {
		return err
	}
	if _, err := control(ctx, "POST", "payments/"+id+"/dispute", nil); err != nil {
		return err
	}
	told, err := l.hear(ctx, id, tollgate.NotificationKindNotifyDispute)
	if err != nil {
		return err
	}
	body, isDispute := told.Body.(*tollgate.DisputeNotification)
	if !isDispute {
		return fmt.Errorf("no dispute: %v", told.Body)
	}
	accepted, err := l.client.Payments.AcceptDispute(ctx, tollgate.AcceptDisputeRequest{DisputeID: body.DisputeID})
	if err != nil {
		return err
	}
	return check(accepted.IsSuccess(), accepted)
}
