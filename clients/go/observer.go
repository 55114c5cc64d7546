package tollgate

import (
	"context"
	"errors"
	"time"
)

// ObservedCall is a call that begins.
type ObservedCall struct {
	// Operation is such as payments/pay.
	Operation string
	// RequestID is your own id of the request, such as its PaymentRequestID.
	RequestID string
	// BaseURL is where it goes, without the path.
	BaseURL string
}

// ObservedEnd is how a call has ended, with all of its attempts.
type ObservedEnd struct {
	// Outcome is the result code, or the name of the error: SUCCESS, TimeoutError.
	Outcome string
	// Duration is from the beginning to the end, with the pauses between attempts.
	Duration time.Duration
	// Attempts is how often it was sent.
	Attempts int
	// TraceID is the gateway's name for the call.
	TraceID string
	// Err is what the call returns, if it fails.
	Err error
}

// Observer is told when a call begins, and gives the context to make it in and what is told how it has ended: a span of
// OpenTelemetry, or a timer of your metrics. Both may be nil.
type Observer func(ctx context.Context, call ObservedCall) (context.Context, func(ObservedEnd))

// WithObserver is told when a call begins and how it has ended: for traces and metrics.
func WithObserver(observer Observer) Option {
	return option(func(s *given) { s.observer = observer })
}

// observe tells that a call begins, and gives what to call at its end. Who looks on must not make a payment fail.
func (c *caller) observe(ctx context.Context, facts CallFacts) (context.Context, func(outcome, error)) {
	if c.observer == nil {
		return ctx, func(outcome, error) {}
	}
	started := c.clock.Now()
	watched, tell := c.begin(ctx, ObservedCall{facts.Operation, facts.RequestID, c.baseURL})
	return watched, func(ended outcome, err error) {
		defer func() { _ = recover() }()
		if tell == nil {
			return
		}
		told := ObservedEnd{
			Outcome: ended.name(), Duration: c.clock.Now().Sub(started), Attempts: ended.facts.Attempts, TraceID: ended.facts.TraceID, Err: err,
		}
		if refusal := (*ResultError)(nil); errors.As(err, &refusal) {
			told.Outcome = string(refusal.Code)
		}
		tell(told)
	}
}

func (c *caller) begin(ctx context.Context, call ObservedCall) (watched context.Context, tell func(ObservedEnd)) {
	watched = ctx
	defer func() { _ = recover() }()
	given, tell := c.observer(ctx, call)
	if given != nil {
		watched = given
	}
	return watched, tell
}
