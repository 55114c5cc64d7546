package tollgate

import (
	"context"
	"errors"
	"time"
)

// ObservedCall is a call that starts.
type ObservedCall struct {
	// Operation is the path of the operation, such as payments/pay.
	Operation string
	// RequestID is your own id of the request, such as its PaymentRequestID.
	RequestID string
	// BaseURL is the gateway's base URL, without the path.
	BaseURL string
}

// ObservedEnd is the end of a call, with all of its attempts.
type ObservedEnd struct {
	// Outcome is the result code, or the name of the error: SUCCESS, TimeoutError.
	Outcome string
	// Duration is the total time, including the pauses between attempts.
	Duration time.Duration
	// Attempts is the number of times the request was sent.
	Attempts int
	// TraceID is the gateway's id of the request.
	TraceID string
	// Err is the error that the call returns, if any.
	Err error
}

// Observer is called when a call starts. It returns the context for the call, and a function that is called
// when the call ends: use it for an OpenTelemetry span or for metrics. Both may be nil.
type Observer func(ctx context.Context, call ObservedCall) (context.Context, func(ObservedEnd))

// WithObserver sets a function that is called when a call starts and when it ends: for traces and metrics.
func WithObserver(observer Observer) Option {
	return option(func(s *given) { s.observer = observer })
}

// observe reports the start of a call, and returns the function to call at its end. An observer that fails
// must not make a payment fail.
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
