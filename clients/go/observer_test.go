package tollgate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tollgate.example/tollgate"
	"tollgate.example/tollgate/tollgatetest"
)

func TestAnObserverReceivesStartAndEnd(t *testing.T) {
	type key struct{}
	var told []string
	client, _ := scripted(t, []tollgatetest.Reply{
		answer("S", "SUCCESS", nil), answer("F", "ORDER_NOT_EXIST", nil),
	}, tollgate.WithObserver(func(ctx context.Context, call tollgate.ObservedCall) (context.Context, func(tollgate.ObservedEnd)) {
		told = append(told, call.Operation+" "+call.RequestID)
		return context.WithValue(ctx, key{}, call), func(end tollgate.ObservedEnd) {
			told = append(told, fmt.Sprint(end.Outcome, " ", end.Attempts, " ", errors.Is(end.Err, tollgate.ErrNotFound)))
		}
	}))
	for _, id := range []string{"o-1", "o-2"} {
		_, _ = client.Payments.InquiryPayment(context.Background(), tollgate.InquiryPaymentRequest{PaymentRequestID: id})
	}
	expected := "payments/inquiryPayment o-1, SUCCESS 1 false, payments/inquiryPayment o-2, ORDER_NOT_EXIST 1 true"
	if strings.Join(told, ", ") != expected {
		t.Error(told)
	}
}

func TestAnObserverThatPanicsDoesNotMakeAPaymentFail(t *testing.T) {
	fail := func(tollgate.ObservedEnd) { panic("The collector is away.") }
	for _, observer := range []tollgate.Observer{
		func(context.Context, tollgate.ObservedCall) (context.Context, func(tollgate.ObservedEnd)) {
			panic("away")
		},
		func(context.Context, tollgate.ObservedCall) (context.Context, func(tollgate.ObservedEnd)) {
			return nil, fail
		},
	} {
		client, _ := scripted(t, []tollgatetest.Reply{answer("S", "SUCCESS", nil)}, tollgate.WithObserver(observer))
		if _, err := client.Payments.InquiryPayment(context.Background(), tollgate.InquiryPaymentRequest{PaymentID: "1"}); err != nil {
			t.Error(err)
		}
	}
}

func TestAnUnknownLogLevelIsReported(t *testing.T) {
	t.Setenv("TOLLGATE_LOG", "loud")
	if _, err := tollgate.New(); err == nil || !strings.Contains(err.Error(), "TOLLGATE_LOG must be debug, info or warn, not loud.") {
		t.Error(err)
	}
}
