// Package tollgate takes payments, gives money back and listens to notifications. Every request is signed, every answer is
// verified before it is read, what is safe to repeat is repeated, and nothing is sent twice that must happen once.
//
//	client, err := tollgate.New()
//	answer, err := client.Payments.Pay(ctx, tollgate.PayRequest{…})
//
// S and U are returned: answer.IsSuccess, and answer.IsPending, when nobody knows yet. F is an error, a *ResultError, whose kind
// errors.Is tells: tollgate.ErrDeclined and others. Whatever else goes wrong leaves open whether it happened, and
// errors.Is(err, tollgate.ErrOutcomeUnknown) says so: repeat the call with the same id, or inquire.
package tollgate
