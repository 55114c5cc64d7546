// Package tollgate takes payments, makes refunds and receives webhooks. It signs every request, verifies
// every response before it parses it, and retries a request only if that is safe.
//
//	client, err := tollgate.New()
//	answer, err := client.Payments.Pay(ctx, tollgate.PayRequest{…})
//
// S and U are returned: answer.IsSuccess, and answer.IsPending if the outcome is unknown. F is an error, a
// *ResultError, whose kind you find with errors.Is: tollgate.ErrDeclined and others. After any other error,
// the outcome is unknown, and errors.Is(err, tollgate.ErrOutcomeUnknown) is true: retry with the same id, or
// inquire.
package tollgate
