package tollgate

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"tollgate.example/tollgate/internal/wire"
)

// TillOptions has the options of a payment at a point of sale. The zero value has the defaults.
type TillOptions struct {
	// InquireAfter has the pauses before each inquiry (default 2, 3, 3, 5, 5, 5, 5, 5 and 5 s). After the
	// last inquiry, the payment is cancelled.
	InquireAfter []time.Duration
	// CancelAfter has the pauses before a cancel is retried (default 2, 3, 3, 5 and 5 s).
	CancelAfter []time.Duration
	// ResendAfter has the pauses before the same pay request for a code is retried (default 2 and 3 s).
	ResendAfter []time.Duration
	// Timeout is for each response (default 5 s).
	Timeout time.Duration
	// OnState is called when the state changes, to inform the cashier.
	OnState func(TillState)
}

// PayByCode takes a payment with the code that the buyer shows (PaymentCode). If there is no response, it
// inquires; if the outcome stays unknown, it cancels. It returns the final outcome. When the context ends,
// the payment is cancelled at once, and the result reports the outcome. After the request is sent, it returns
// no error: every result has the payment's id.
func (a *PaymentsArea) PayByCode(ctx context.Context, request PayRequest, options TillOptions) (*TillResult, error) {
	till, err := a.tillFor(ctx, request, "PayByCode", InStorePaymentScenarioPaymentCode, options)
	if err != nil {
		return nil, err
	}
	till.say(TillAsking)
	sent := till.send(request)
	switch {
	case sent.answer != nil && sent.answer.IsSuccess():
		return till.ids.paid(sent.answer.PaymentTime, sent.answer.PaymentAmount, sent.answer.ActualPaymentAmount), nil
	case sent.answer != nil && sent.answer.IsFailure():
		return till.ids.result(TillDeclined, sent.code), nil
	case till.misuse != nil:
		return nil, till.misuse
	case sent.code != ResultCodePaymentInProcess:
		till.say(TillChecking)
	}
	return till.settle(slices.Values(till.inquireAfter)), nil
}

// ShowOrderCode gets a code for the buyer to scan (OrderCode). Show the code and wait with FinishOpenCode. If
// there is no code, it returns a result with the reason.
func (a *PaymentsArea) ShowOrderCode(
	ctx context.Context, request PayRequest, options TillOptions,
) (*OpenCode, *TillResult, error) {
	till, err := a.tillFor(ctx, request, "ShowOrderCode", InStorePaymentScenarioOrderCode, options)
	if err != nil {
		return nil, nil, err
	}
	return till.open(request, func(answer *PayResponse, code *OpenCode) bool {
		code.CodeText = codeTextOf(answer)
		return code.CodeText != ""
	})
}

// OpenEntryCode gets a page for the buyer to open (EntryCode). Send the buyer there and wait with
// FinishOpenCode. If there is no page, it returns a result with the reason.
func (a *PaymentsArea) OpenEntryCode(
	ctx context.Context, request PayRequest, options TillOptions,
) (*OpenCode, *TillResult, error) {
	till, err := a.tillFor(ctx, request, "OpenEntryCode", InStorePaymentScenarioEntryCode, options)
	if err != nil {
		return nil, nil, err
	}
	return till.open(request, func(answer *PayResponse, code *OpenCode) bool {
		code.RedirectURL = answer.RedirectActionForm.RedirectURL
		return code.RedirectURL != ""
	})
}

// FinishByCode brings a payment to a final outcome, for example after TillUnknown or after a crash: it
// inquires at once and as often as PayByCode does, and then cancels.
func (a *PaymentsArea) FinishByCode(ctx context.Context, paymentRequestID string, options TillOptions) (*TillResult, error) {
	till, err := a.till(ctx, paymentRequestID, options)
	if err != nil {
		return nil, err
	}
	till.say(TillChecking)
	return till.settle(slices.Values(append([]time.Duration{0}, till.inquireAfter...))), nil
}

// FinishOpenCode inquires until an open code is paid or expires, and then cancels.
func (a *PaymentsArea) FinishOpenCode(ctx context.Context, open *OpenCode, options TillOptions) (*TillResult, error) {
	if open == nil {
		return nil, misconfigured("The open code is missing.")
	}
	till, err := a.till(ctx, open.PaymentRequestID, options)
	if err != nil {
		return nil, err
	}
	till.say(TillAsking)
	return till.settle(till.pausesUntil(open.EndsAt)), nil
}

// till is one payment at a point of sale, with its options.
type till struct {
	payments *PaymentsArea
	clock    Clock
	ctx      context.Context
	// beyond is the context for the work after the caller's context ends, because the payment is then
	// cancelled.
	beyond       context.Context
	ids          tillIDs
	inquireAfter []time.Duration
	cancelAfter  []time.Duration
	resendAfter  []time.Duration
	timeout      time.Duration
	onState      func(TillState)
	last         TillState
	// misuse is the error of an invalid request, which is not sent.
	misuse error
}

// tillFor checks the kind of the request: for each kind of code, S has a different meaning, so a request of
// another kind is rejected.
func (a *PaymentsArea) tillFor(
	ctx context.Context, request PayRequest, call string, scenario InStorePaymentScenario, options TillOptions,
) (*till, error) {
	said := request.PaymentFactor.InStorePaymentScenario
	if said != scenario {
		if said == "" {
			said = "absent"
		}
		return nil, misconfigured("%s requires a payment whose paymentFactor.inStorePaymentScenario is %s, and not %s.", call, scenario, said)
	}
	return a.till(ctx, request.PaymentRequestID, options)
}

func (a *PaymentsArea) till(ctx context.Context, paymentRequestID string, options TillOptions) (*till, error) {
	if paymentRequestID == "" {
		return nil, misconfigured("The paymentRequestId is missing.")
	}
	for _, pauses := range [][]time.Duration{options.InquireAfter, options.CancelAfter, options.ResendAfter} {
		if len(pauses) > 0 && slices.Min(pauses) < 0 {
			return nil, misconfigured("A pause must not be less than 0.")
		}
	}
	limit := options.Timeout
	if limit == 0 {
		limit = 5 * time.Second
	}
	if err := checkedTimeout(limit); err != nil {
		return nil, err
	}
	return &till{
		payments: a, clock: a.caller.clock, ctx: ctx, beyond: context.WithoutCancel(ctx),
		ids:          tillIDs{paymentRequestID: paymentRequestID},
		inquireAfter: pausesOr(options.InquireAfter, 2, 3, 3, 5, 5, 5, 5, 5, 5),
		cancelAfter:  pausesOr(options.CancelAfter, 2, 3, 3, 5, 5),
		resendAfter:  pausesOr(options.ResendAfter, 2, 3),
		timeout:      limit,
		onState:      options.OnState,
	}, nil
}

func pausesOr(given []time.Duration, usualSeconds ...int) []time.Duration {
	if given != nil {
		return given
	}
	pauses := make([]time.Duration, len(usualSeconds))
	for index, seconds := range usualSeconds {
		pauses[index] = time.Duration(seconds) * time.Second
	}
	return pauses
}

func (t *till) say(state TillState) {
	if state == t.last {
		return
	}
	t.last = state
	if t.onState == nil {
		return
	}
	// A panic in OnState must not make a payment fail.
	defer func() { _ = recover() }()
	t.onState(state)
}

func (t *till) isStopped() bool { return t.ctx.Err() != nil }

// open sends the same request until there is a code. If there is no code, it makes sure that no payment stays
// open.
func (t *till) open(request PayRequest, fill func(*PayResponse, *OpenCode) bool) (*OpenCode, *TillResult, error) {
	t.say(TillAsking)
	for _, pause := range append([]time.Duration{0}, t.resendAfter...) {
		t.rest(pause)
		sent := t.send(request)
		switch {
		case t.misuse != nil:
			return nil, nil, t.misuse
		case sent.answer == nil:
			continue
		case sent.answer.IsFailure():
			return nil, t.ids.result(TillDeclined, sent.code), nil
		case !sent.answer.IsSuccess():
			continue
		}
		code := t.openCode(sent.answer, request)
		if fill(sent.answer, code) {
			return code, nil, nil
		}
		// A response without a code means that the payment was paid before, or that it is final.
		t.say(TillChecking)
		return nil, t.settle(slices.Values(append([]time.Duration{0}, t.inquireAfter...))), nil
	}
	return nil, t.cancel(), nil
}

// pausesUntil repeats the last pause until the code expires. One more inquiry follows, because the buyer may
// have paid at the last moment.
func (t *till) pausesUntil(end time.Time) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for asked := 0; ; asked++ {
			pause := 5 * time.Second
			if count := len(t.inquireAfter); count > 0 {
				pause = t.inquireAfter[min(asked, count-1)]
			}
			left := max(0, end.Sub(t.clock.Now()))
			if !yield(min(pause, left)) || !t.clock.Now().Before(end) {
				return
			}
		}
	}
}

// settle inquires after each pause. If the outcome is still unknown, it cancels the payment.
func (t *till) settle(pauses iter.Seq[time.Duration]) *TillResult {
	for pause := range pauses {
		t.rest(pause)
		if t.isStopped() {
			break
		}
		asked := t.inquire(t.ctx)
		if end := t.ids.endOf(asked); end != nil {
			return end
		}
		// A payment that the gateway does not know may still be in transit. After any other rejection, more
		// inquiries are useless.
		if asked.answer != nil && asked.answer.IsFailure() && asked.code != ResultCodeOrderNotExist {
			break
		}
		if asked.answer != nil && asked.answer.IsSuccess() && asked.answer.PaymentStatus != PaymentStatusSuccess {
			t.say(TillAsking)
		} else {
			t.say(TillChecking)
		}
	}
	return t.cancel()
}

func (t *till) cancel() *TillResult {
	t.say(TillCancelling)
	var last heard[CancelResponse]
	isInDoubt := false
	for _, pause := range append([]time.Duration{0}, t.cancelAfter...) {
		// After the caller's context ends, the remaining steps run without pauses.
		if pause > 0 && t.clock.Sleep(t.beyond, pause) != nil {
			break
		}
		answer, err := t.payments.Cancel(t.beyond, CancelRequest{PaymentRequestID: t.ids.paymentRequestID}, t.callOptions()...)
		last = hear(t, answer, err)
		if answer != nil && answer.IsSuccess() {
			asked := t.inquire(t.beyond).answer
			if asked != nil && !asked.IsSuccess() {
				asked = nil
			}
			return t.ids.cancelled(answer.CancelTime, asked)
		}
		if answer == nil || !answer.IsFailure() {
			isInDoubt = true
			continue
		}
		end := t.ids.endOf(t.inquire(t.beyond))
		// After a cancel without a response, `paid` is not final, because the cancel may still take effect.
		if end != nil && !(isInDoubt && end.Outcome == TillPaid) {
			return end
		}
	}
	return t.ids.unknown(last.code, last.fault)
}

func (t *till) send(request PayRequest) heard[PayResponse] {
	if t.isStopped() {
		return heard[PayResponse]{}
	}
	answer, err := t.payments.Pay(t.ctx, request, t.callOptions()...)
	var misuse *ConfigurationError
	if errors.As(err, &misuse) {
		t.misuse = err
	}
	return hear(t, answer, err)
}

func (t *till) inquire(ctx context.Context) heard[InquiryPaymentResponse] {
	request := InquiryPaymentRequest{PaymentRequestID: t.ids.paymentRequestID}
	answer, err := t.payments.InquiryPayment(ctx, request, t.callOptions()...)
	return hear(t, answer, err)
}

// callOptions disables the retries of calls, because this type does its own retries.
func (t *till) callOptions() []CallOption {
	return []CallOption{WithTimeout(t.timeout), WithMaxRetries(0), WithFailuresReturned()}
}

// namesPayment is a response that has a payment id.
type namesPayment interface {
	paymentAndCode() (paymentID string, code ResultCode)
}

// hear converts errors to missing responses: no error after a request was sent may stop the point of sale
// from finding the outcome.
func hear[Answer any, Pointer interface {
	*Answer
	namesPayment
}](t *till, answer Pointer, err error) heard[Answer] {
	if err != nil {
		said := heard[Answer]{fault: err}
		var refusal *ResultError
		if errors.As(err, &refusal) {
			said.code = refusal.Code
		}
		return said
	}
	id, code := answer.paymentAndCode()
	if id != "" {
		t.ids.paymentID = id
	}
	return heard[Answer]{answer: answer, code: code}
}

func (v *PayResponse) paymentAndCode() (string, ResultCode) { return v.PaymentID, v.Result.ResultCode }

func (v *InquiryPaymentResponse) paymentAndCode() (string, ResultCode) {
	return v.PaymentID, v.Result.ResultCode
}

func (v *CancelResponse) paymentAndCode() (string, ResultCode) {
	return v.PaymentID, v.Result.ResultCode
}

// rest pauses; it returns early when the caller's context ends.
func (t *till) rest(pause time.Duration) {
	if pause > 0 && !t.isStopped() {
		_ = t.clock.Sleep(t.ctx, pause)
	}
}

func codeTextOf(answer *PayResponse) string {
	codes := answer.OrderCodeForm.CodeDetails
	for _, each := range codes {
		if each.DisplayType == "TEXT" {
			return each.CodeValue
		}
	}
	if len(codes) == 0 {
		return ""
	}
	return codes[0].CodeValue
}

// usualLife is the lifetime of a code, if the response does not state one.
const usualLife = 3 * time.Minute

// openCode computes the expiry from the remaining lifetime of the code, because the gateway's clock may
// differ from the local clock (clock skew).
func (t *till) openCode(answer *PayResponse, request PayRequest) *OpenCode {
	now := t.clock.Now()
	said := answer.OrderCodeForm.ExpireTime
	if said == "" {
		said = request.PaymentExpiryTime
	}
	life := usualLife
	if end, isTime := wire.ParseTime(said); isTime {
		created, isCreated := wire.ParseTime(answer.PaymentCreateTime)
		if !isCreated {
			created = now
		}
		life = max(0, end.Sub(created))
	}
	return &OpenCode{PaymentRequestID: t.ids.paymentRequestID, PaymentID: t.ids.paymentID, EndsAt: now.Add(life).Truncate(time.Second)}
}
