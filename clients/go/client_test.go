package tollgate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"tollgate.example/tollgate"
	"tollgate.example/tollgate/tollgatetest"
)

var keysOnce = sync.OnceValue(func() [2]tollgatetest.KeyPair {
	own, ownError := tollgatetest.NewKeyPair()
	theirs, theirError := tollgatetest.NewKeyPair()
	if err := errors.Join(ownError, theirError); err != nil {
		panic(err)
	}
	return [2]tollgatetest.KeyPair{own, theirs}
})

// scripted creates a client whose gateway sends these responses.
func scripted(t *testing.T, replies []tollgatetest.Reply, options ...tollgate.Option) (*tollgate.Client, *tollgatetest.Gateway) {
	t.Helper()
	pairs := keysOnce()
	gateway, err := tollgatetest.NewGateway(pairs[1].Private, replies...)
	if err != nil {
		t.Fatal(err)
	}
	client, err := tollgate.New(append([]tollgate.Option{
		tollgate.WithClientID("SANDBOX_1"),
		tollgate.WithPrivateKey(pairs[0].Private),
		tollgate.WithGatewayPublicKey(pairs[1].Public),
		tollgate.WithBaseURL("https://gateway.example"),
		tollgate.WithTransport(gateway),
		tollgate.WithClock(&tollgatetest.Clock{}),
	}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return client, gateway
}

type fields = map[string]any

func answer(status, code string, more fields) tollgatetest.Reply {
	body := fields{"result": fields{"resultCode": code, "resultStatus": status, "resultMessage": "said"}}
	for name, value := range more {
		body[name] = value
	}
	return tollgatetest.Reply{Body: body}
}

func paying(id string) tollgate.PayRequest {
	return tollgate.PayRequest{PaymentRequestID: id, PaymentMethod: tollgate.PaymentMethod{PaymentMethodID: "token-of-a-buyer"}}
}

func TestACallIsSignedAndItsAnswerIsRead(t *testing.T) {
	client, gateway := scripted(t, []tollgatetest.Reply{
		answer("U", "PAYMENT_IN_PROCESS", fields{"paymentId": "p-1", "normalUrl": "https://pay.example/é", "newField": []int{1}}),
	})
	paid, err := client.Payments.Pay(context.Background(), paying("order-1"))
	if err != nil {
		t.Fatal(err)
	}
	if !paid.IsPending() || paid.IsSuccess() || paid.PaymentID != "p-1" || paid.NormalURL != "https://pay.example/é" {
		t.Error(paid)
	}
	if string(paid.Extra["newField"]) != "[1]" || paid.Call.Attempts != 1 || paid.Call.RequestID != "order-1" {
		t.Error(paid.Extra, paid.Call)
	}
	sent := gateway.Requests()[0]
	if err := tollgatetest.VerifyRequest(sent, keysOnce()[0].Public); err != nil {
		t.Error(err)
	}
	sent.Body = append(sent.Body, ' ')
	if tollgatetest.VerifyRequest(sent, keysOnce()[0].Public) == nil {
		t.Error("a request that was changed verifies")
	}
	if sent.Path != "/ams/sandbox/api/v1/payments/pay" || !strings.HasPrefix(sent.Header.Get("User-Agent"), "tollgate-go/") {
		t.Error(sent.Path, sent.Header)
	}
}

func TestARepeatableRequestIsRetriedWithTheSameBytes(t *testing.T) {
	clock := &tollgatetest.Clock{}
	client, gateway := scripted(t, []tollgatetest.Reply{
		{Err: errors.New("connection reset")},
		{Status: 503, Body: fields{}},
		answer("S", "SUCCESS", fields{"paymentId": "p-1"}),
	}, tollgate.WithClock(clock))
	paid, err := client.Payments.Pay(context.Background(), paying("order-1"))
	if err != nil || paid.Call.Attempts != 3 {
		t.Fatal(paid, err)
	}
	sent := gateway.Requests()
	for _, each := range sent[1:] {
		if !bytes.Equal(each.Body, sent[0].Body) || each.Header.Get("Signature") == sent[0].Header.Get("Signature") {
			t.Error("not the same body under another signature")
		}
	}
	if slept := clock.Slept(); len(slept) != 2 || slept[0] < 50*time.Millisecond || slept[1] > time.Second {
		t.Error(slept)
	}
}

func TestANonRepeatableRequestIsNotRetried(t *testing.T) {
	client, gateway := scripted(t, []tollgatetest.Reply{{Err: errors.New("connection reset")}})
	_, err := client.Tollgate.ChangeEndpoints(context.Background(), tollgate.ChangeEndpointsRequest{})
	var broken *tollgate.ConnectionError
	if !errors.As(err, &broken) || !errors.Is(err, tollgate.ErrOutcomeUnknown) || len(gateway.Requests()) != 1 {
		t.Error(err, len(gateway.Requests()))
	}
}

func TestARejectionIsATypedError(t *testing.T) {
	client, _ := scripted(t, []tollgatetest.Reply{answer("F", "USER_BALANCE_NOT_ENOUGH", nil), answer("F", "A_CODE_TO_COME", nil)})
	_, err := client.Payments.Pay(context.Background(), paying("order-1"))
	var refusal *tollgate.ResultError
	if !errors.Is(err, tollgate.ErrDeclined) || errors.Is(err, tollgate.ErrOutcomeUnknown) || !errors.As(err, &refusal) {
		t.Fatalf("%T %v", err, err)
	}
	if refusal.Code != tollgate.ResultCodeUserBalanceNotEnough || !refusal.IsSigned || refusal.Advice == "" || refusal.RequestID != "order-1" {
		t.Error(refusal)
	}
	var any tollgate.GatewayError
	if !errors.As(err, &any) || any.Facts().Operation != "payments/pay" {
		t.Error(any)
	}
	failed, err := client.Payments.Pay(context.Background(), paying("order-2"), tollgate.WithFailuresReturned())
	if err != nil || !failed.IsFailure() {
		t.Error(failed, err)
	}
}

func TestAResponseWithAnotherIdIsRejected(t *testing.T) {
	client, _ := scripted(t, []tollgatetest.Reply{answer("S", "SUCCESS", fields{"paymentRequestId": "another"})})
	_, err := client.Payments.InquiryPayment(context.Background(), tollgate.InquiryPaymentRequest{PaymentRequestID: "order-1"})
	var untrusted *tollgate.SignatureVerificationError
	if !errors.As(err, &untrusted) || untrusted.Reason != tollgate.SignatureOtherSubject {
		t.Error(err)
	}
}

// hanging is a transport that never responds.
type hanging struct{}

func (hanging) RoundTrip(request *http.Request) (*http.Response, error) {
	<-request.Context().Done()
	return nil, request.Context().Err()
}

func TestTimeoutsAndDeadlinesAreRespected(t *testing.T) {
	pairs := keysOnce()
	client, err := tollgate.New(
		tollgate.WithClientID("c"), tollgate.WithPrivateKey(pairs[0].Private), tollgate.WithGatewayPublicKey(pairs[1].Public),
		tollgate.WithBaseURL("https://gateway.example"), tollgate.WithTransport(hanging{}),
	)
	if err != nil {
		t.Fatal(err)
	}
	within := func(what string, limit time.Duration, call func() error) error {
		started := time.Now()
		err := call()
		if took := time.Since(started); took > limit {
			t.Errorf("%s took %s", what, took)
		}
		return err
	}
	var late *tollgate.TimeoutError
	err = within("an attempt", 5*time.Second, func() error {
		_, err := client.Payments.Pay(context.Background(), paying("1"), tollgate.WithTimeout(50*time.Millisecond), tollgate.WithMaxRetries(0))
		return err
	})
	if !errors.As(err, &late) || late.Attempts != 1 || !late.Timeout() {
		t.Errorf("%T %v", err, err)
	}
	err = within("a deadline", 5*time.Second, func() error {
		ctx, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer stop()
		_, err := client.Payments.WaitForFinal(ctx, tollgate.InquiryPaymentRequest{PaymentID: "1"})
		return err
	})
	if !errors.As(err, &late) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%T %v", err, err)
	}
	cause := errors.New("the shop closes")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
	var canceled *tollgate.CanceledError
	_, err = client.Payments.Pay(ctx, paying("1"))
	if !errors.As(err, &canceled) || !errors.Is(err, cause) || !errors.Is(err, context.Canceled) {
		t.Errorf("%T %v", err, err)
	}
}

func TestSecretsAreNotLogged(t *testing.T) {
	var written bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&written, &slog.HandlerOptions{Level: slog.LevelDebug}))
	client, _ := scripted(t, []tollgatetest.Reply{answer("S", "SUCCESS", nil)}, tollgate.WithLogger(logger))
	request := paying("order-1")
	if _, err := client.Payments.Pay(context.Background(), request); err != nil {
		t.Fatal(err)
	}
	logger.Info("by the user", "request", request)
	shown := written.String() + fmt.Sprintf("%v %+v %#v %s", request, request, &request, request.PaymentMethod)
	if strings.Contains(shown, "token-of-a-buyer") || !strings.Contains(shown, "order-1") {
		t.Error(shown)
	}
	for _, event := range []string{`"msg":"request"`, `"msg":"response"`, `"outcome":"SUCCESS"`} {
		if !strings.Contains(written.String(), event) {
			t.Errorf("%s is missing in %s", event, written.String())
		}
	}
}

func TestOnesOwnKeyAsTheGatewaysKeyLogsAWarning(t *testing.T) {
	var written bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&written, nil))
	scripted(t, nil, tollgate.WithGatewayPublicKey(keysOnce()[0].Public), tollgate.WithLogger(logger))
	if !strings.Contains(written.String(), "your own public key") {
		t.Error(written.String())
	}
}

func TestConcurrentCalls(t *testing.T) {
	replies := make([]tollgatetest.Reply, 64)
	for index := range replies {
		replies[index] = answer("S", "SUCCESS", nil)
	}
	client, gateway := scripted(t, replies, tollgate.WithLogger(slog.New(slog.DiscardHandler)))
	var all sync.WaitGroup
	for index := range replies {
		all.Add(1)
		go func() {
			defer all.Done()
			if _, err := client.Payments.Pay(context.Background(), paying(fmt.Sprint("order-", index))); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	if len(gateway.Requests()) != len(replies) {
		t.Error(len(gateway.Requests()))
	}
}

func TestInvalidOptionsAreRejectedBeforeSending(t *testing.T) {
	pairs := keysOnce()
	right := []tollgate.Option{
		tollgate.WithClientID("c"), tollgate.WithPrivateKey(pairs[0].Private), tollgate.WithGatewayPublicKey(pairs[1].Public),
		tollgate.WithBaseURL("https://gateway.example"),
	}
	wrong := map[string]tollgate.Option{
		"a public key":  tollgate.WithPrivateKey(pairs[0].Public),
		"no key":        tollgate.WithGatewayPublicKeys(map[int]string{}),
		"an address":    tollgate.WithBaseURL("http://gateway.example"),
		"a version":     tollgate.WithKeyVersion(0),
		"an id":         tollgate.WithClientID("a b"),
		"an environ":    tollgate.WithEnvironment("test"),
		"no time":       tollgate.WithTimeout(0),
		"fewer retries": tollgate.WithMaxRetries(-1),
		"a tolerance":   tollgate.WithWebhookTolerance(-1),
		"a header":      tollgate.WithAgentToken("a\nb"),
	}
	for name, option := range wrong {
		_, err := tollgate.New(append(right, option)...)
		var misconfigured *tollgate.ConfigurationError
		if !errors.As(err, &misconfigured) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := tollgate.New(append(right, wrong["a public key"])...)
	var invalid *tollgate.InvalidKeyError
	if !errors.As(err, &invalid) || invalid.Reason != tollgate.KeyPublicInsteadOfPrivate {
		t.Error(err)
	}
}

func TestTheZeroValueIsSafeAndFieldsAreExact(t *testing.T) {
	var empty tollgate.PayResponse
	if empty.IsSuccess() || empty.OrderCodeForm.CodeDetails != nil || !empty.PaymentAmount.IsZero() {
		t.Error("the zero value says something")
	}
	var read tollgate.InquiryPaymentResponse
	text := `{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":""},"PAYMENTID":"x","paymentId":null,"transactions":[]}`
	if err := json.Unmarshal([]byte(text), &read); err != nil || read.PaymentID != "" || read.Transactions == nil {
		t.Error(read, err)
	}
	if _, isKept := read.Extra["PAYMENTID"]; !isKept {
		t.Error("a field in other letters is not kept as another field")
	}
}

func TestAConnectionThatIsRefusedNamesItsCause(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	client, _ := scripted(t, nil, tollgate.WithBaseURL(address), tollgate.WithTransport(nil), tollgate.WithMaxRetries(0))
	_, err = client.Payments.Pay(context.Background(), paying("1"))
	var operation *net.OpError
	if !errors.As(err, &operation) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("%T %v", err, err)
	}
}

func TestTimesHaveANumericOffset(t *testing.T) {
	at := time.Date(2026, time.November, 15, 9, 30, 7, 999, time.UTC)
	if text := tollgate.FormatTime(at); text != "2026-11-15T09:30:07+00:00" {
		t.Error(text)
	}
	read, err := tollgate.ParseTime("2026-11-15T17:30:07+08:00")
	if err != nil || !read.Equal(at.Truncate(time.Second)) {
		t.Error(read, err)
	}
	if _, err := tollgate.ParseTime("yesterday"); err == nil {
		t.Error("that was no time")
	}
}
