package tollgate

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"tollgate.example/tollgate/internal/wire"
)

// TillOptions says how a payment at a till is handled. The zero value is the usual way.
type TillOptions struct {
	// InquireAfter are pauses before each inquiry. When they are used up, the payment is cancelled. 2, 3, 3, 5, 5, 5, 5, 5 and 5 s
	// unless said otherwise.
	InquireAfter []time.Duration
	// CancelAfter are pauses before a cancel is repeated; 2, 3, 3, 5 and 5 s unless said otherwise.
	CancelAfter []time.Duration
	// ResendAfter are pauses before the same pay is sent again for a code; 2 and 3 s unless said otherwise.
	ResendAfter []time.Duration
	// Timeout is for each answer; 5 s unless said otherwise.
	Timeout time.Duration
	// OnState is told what is being done, for the cashier.
	OnState func(TillState)
}

// PayByCode takes a payment with the code that the buyer shows (PaymentCode). It asks when there is no answer, cancels when nobody
// tells, and says how it ended. When the context ends, the payment is cancelled at once, and the result says how that went. Once
// the request is sent there is no error: the id is in every result.
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

// ShowOrderCode gets a code for the buyer to scan (OrderCode). Show it, and wait with FinishOpenCode; or there is the result why
// there is none.
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

// OpenEntryCode gets the page to send the buyer to (EntryCode), and wait with FinishOpenCode; or there is the result why there is
// none.
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

// FinishByCode brings a payment to its end, as after TillUnknown or when the till has crashed: it asks, at once and as often as
// PayByCode does, and then cancels.
func (a *PaymentsArea) FinishByCode(ctx context.Context, paymentRequestID string, options TillOptions) (*TillResult, error) {
	till, err := a.till(ctx, paymentRequestID, options)
	if err != nil {
		return nil, err
	}
	till.say(TillChecking)
	return till.settle(slices.Values(append([]time.Duration{0}, till.inquireAfter...))), nil
}

// FinishOpenCode waits until a code was paid with or has ended, and then cancels.
func (a *PaymentsArea) FinishOpenCode(ctx context.Context, open *OpenCode, options TillOptions) (*TillResult, error) {
	if open == nil {
		return nil, misconfigured("There is no open code.")
	}
	till, err := a.till(ctx, open.PaymentRequestID, options)
	if err != nil {
		return nil, err
	}
	till.say(TillAsking)
	return till.settle(till.pausesUntil(open.EndsAt)), nil
}

// till is one payment at a till, and how it is to be handled.
type till struct {
	payments *PaymentsArea
	clock    Clock
	ctx      context.Context
	// beyond goes on when the caller has had enough, because then it is cancelled.
	beyond       context.Context
	ids          tillIDs
	inquireAfter []time.Duration
	cancelAfter  []time.Duration
	resendAfter  []time.Duration
	timeout      time.Duration
	onState      func(TillState)
	last         TillState
	// misuse is a request that was put together wrongly: nothing was sent.
	misuse error
}

// tillFor: S means something else for each kind of code, so none may be taken for another.
func (a *PaymentsArea) tillFor(
	ctx context.Context, request PayRequest, call string, scenario InStorePaymentScenario, options TillOptions,
) (*till, error) {
	said := request.PaymentFactor.InStorePaymentScenario
	if said != scenario {
		if said == "" {
			said = "absent"
		}
		return nil, misconfigured("%s is for payments whose paymentFactor.inStorePaymentScenario is %s, and not %s.", call, scenario, said)
	}
	return a.till(ctx, request.PaymentRequestID, options)
}

func (a *PaymentsArea) till(ctx context.Context, paymentRequestID string, options TillOptions) (*till, error) {
	if paymentRequestID == "" {
		return nil, misconfigured("There is no paymentRequestId.")
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
	// A display that fails must not make a payment fail.
	defer func() { _ = recover() }()
	t.onState(state)
}

func (t *till) isStopped() bool { return t.ctx.Err() != nil }

// open sends the same request until there is a code; without a code, it sees to it that nothing is left open.
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
		// There is nothing to pay with: it was paid before, or it has ended.
		t.say(TillChecking)
		return nil, t.settle(slices.Values(append([]time.Duration{0}, t.inquireAfter...))), nil
	}
	return nil, t.cancel(), nil
}

// pausesUntil repeats the last pause until the time is over; then it is asked once more, because a buyer may have paid at the
// last moment.
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

// settle asks after each pause; and when nobody has told how it ended, calls it off.
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
		// What is not known yet may still be on its way. Any other refusal will not change.
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
		// Whoever has had enough wants just this, so it goes on to the end.
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
		// A cancel without an answer may still take effect: then what is paid now will not stay so.
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

// callOptions: repeating is the till's own business.
func (t *till) callOptions() []CallOption {
	return []CallOption{WithTimeout(t.timeout), WithMaxRetries(0), WithFailuresReturned()}
}

// namesPayment is an answer of a payment.
type namesPayment interface {
	paymentAndCode() (paymentID string, code ResultCode)
}

// hear: nothing that goes wrong after a request was sent may keep the till from finding out what became of it.
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

// rest ends when the caller has had enough.
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

// usualLife is how long codes are good for, if nobody says.
const usualLife = 3 * time.Minute

// openCode: the gateway's clock may differ from the till's, so only how long it is good for counts.
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
