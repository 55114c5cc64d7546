package tollgate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	usualWait    = 60 * time.Second
	firstPause   = 500 * time.Millisecond
	longestPause = 5 * time.Second
)

// WaitForFinal polls a payment until it is SUCCESS, FAIL or CANCELLED. It polls until the context's deadline,
// or for 60 s if there is none, and then fails with a TimeoutError; the payment itself continues.
func (a *PaymentsArea) WaitForFinal(ctx context.Context, payment InquiryPaymentRequest) (*InquiryPaymentResponse, error) {
	return waitFor(ctx, a.caller, "payment", func(ctx context.Context) (*InquiryPaymentResponse, string, error) {
		answer, err := a.InquiryPayment(ctx, payment)
		if err != nil {
			return nil, "", err
		}
		return answer, string(answer.PaymentStatus), nil
	})
}

// WaitForFinalRefund polls a refund until it is SUCCESS or FAIL, with the same time limit as WaitForFinal.
func (a *PaymentsArea) WaitForFinalRefund(ctx context.Context, refund InquiryRefundRequest) (*InquiryRefundResponse, error) {
	return waitFor(ctx, a.caller, "refund", func(ctx context.Context) (*InquiryRefundResponse, string, error) {
		answer, err := a.InquiryRefund(ctx, refund)
		if err != nil {
			return nil, "", err
		}
		return answer, string(answer.RefundStatus), nil
	})
}

func waitFor[Answer any](
	ctx context.Context, c *caller, what string, inquire func(context.Context) (*Answer, string, error),
) (*Answer, error) {
	if _, hasDeadline := ctx.Deadline(); !hasDeadline {
		limited, stop := context.WithTimeout(ctx, usualWait)
		defer stop()
		ctx = limited
	}
	started := c.clock.Now()
	until := c.deadlineOf(ctx)
	for pause := firstPause; ; pause = min(pause*3/2, longestPause) {
		answer, status, err := inquire(ctx)
		if err != nil && !isPassing(err) {
			return nil, err
		}
		if err == nil && status != "" && status != "PROCESSING" && status != "PENDING" {
			return answer, nil
		}
		if c.clock.Now().Add(pause).After(until) {
			heard := "no answer"
			if err == nil {
				heard = "PROCESSING"
				if status != "" {
					heard = status
				}
			}
			limit := until.Sub(started).Round(time.Millisecond).Milliseconds()
			return nil, &TimeoutError{Message: fmt.Sprintf("The %s is not final after %d ms: %s.", what, limit, heard)}
		}
		if c.clock.Sleep(ctx, pause) != nil {
			return nil, outcome{}.canceled(ctx).err
		}
	}
}

// isPassing reports whether the fault may be temporary, so that polling should continue.
func isPassing(err error) bool {
	var (
		connection *ConnectionError
		late       *TimeoutError
		status     *HTTPStatusError
	)
	switch {
	case errors.As(err, &connection), errors.As(err, &late), errors.Is(err, ErrRateLimit):
		return true
	case errors.As(err, &status):
		return status.Status == http.StatusTooManyRequests || status.Status >= 500
	}
	return false
}
