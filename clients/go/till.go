package tollgate

import "time"

// TillState is the state of a payment at a point of sale.
type TillState string

// The states of a payment at a point of sale.
const (
	// TillAsking means that the buyer is asked to pay.
	TillAsking TillState = "asking"
	// TillChecking means that the outcome is unknown, and the library inquires.
	TillChecking TillState = "checking"
	// TillCancelling means that the payment is being cancelled.
	TillCancelling TillState = "cancelling"
)

// TillOutcome is the outcome of a payment at a point of sale. Hand over the goods only on TillPaid.
type TillOutcome string

// The outcomes of a payment at a point of sale.
const (
	// TillPaid means that the payment succeeded: hand over the goods.
	TillPaid TillOutcome = "paid"
	// TillDeclined means that the payment failed: no money was taken, and none will be.
	TillDeclined TillOutcome = "declined"
	// TillCancelled means that the payment was cancelled: no money will be taken.
	TillCancelled TillOutcome = "cancelled"
	// TillUnknown means that the outcome is unknown, and so is whether the payment is cancelled. Keep the id,
	// and finish the payment with FinishByCode.
	TillUnknown TillOutcome = "unknown"
)

// TillResult is the result of a payment at a point of sale.
type TillResult struct {
	// Outcome is the outcome. Hand over the goods only on TillPaid.
	Outcome TillOutcome
	// PaymentRequestID is your own id of the payment. It identifies the payment whatever the outcome.
	PaymentRequestID string
	// PaymentID is the gateway's id, if a response had it.
	PaymentID string
	// ResultCode is the reason; "" if there was no response.
	ResultCode ResultCode
	// Advice is the recommended action.
	Advice string
	// PaymentTime is the time of payment, if it was paid.
	PaymentTime string
	// PaymentAmount is the requested amount, if it was paid.
	PaymentAmount Amount
	// ActualPaymentAmount is the amount that the buyer paid, if it was paid.
	ActualPaymentAmount Amount
	// CancelTime is the time of cancellation, if it was cancelled and the response had it.
	CancelTime string
	// MoneyBack reports, for a cancelled payment, whether money had been taken and is returned; nil if this
	// is unknown.
	MoneyBack *bool
	// Cause is the error that occurred instead of the last response, if the outcome is unknown.
	Cause error
}

// OpenCode is a code or page with which a buyer can pay until EndsAt. The payment is not paid yet. Pass it to
// FinishOpenCode.
type OpenCode struct {
	// PaymentRequestID is your own id of the payment.
	PaymentRequestID string
	// PaymentID is the gateway's id of the payment.
	PaymentID string
	// CodeText is the content of the code to draw, from ShowOrderCode.
	CodeText string
	// RedirectURL is the page for the buyer to open, from OpenEntryCode.
	RedirectURL string
	// EndsAt is the time of expiry, by the clock of this machine.
	EndsAt time.Time
}

// heard is the outcome of a call: a signed response, or a failure, which contains no information about money.
type heard[Answer any] struct {
	answer *Answer
	code   ResultCode
	fault  error
}

// tillIDs has the ids of a payment that are known so far.
type tillIDs struct {
	paymentRequestID string
	paymentID        string
}

func (ids tillIDs) result(outcome TillOutcome, code ResultCode) *TillResult {
	return &TillResult{
		Outcome: outcome, PaymentRequestID: ids.paymentRequestID, PaymentID: ids.paymentID,
		ResultCode: code, Advice: codeFactsOf(code).advice,
	}
}

func (ids tillIDs) paid(paymentTime string, amount, actual Amount) *TillResult {
	result := ids.result(TillPaid, ResultCodeSuccess)
	result.PaymentTime, result.PaymentAmount, result.ActualPaymentAmount = paymentTime, amount, actual
	return result
}

// cancelled uses the inquiry after the cancel, if there was one. Only this inquiry shows whether money is
// returned.
func (ids tillIDs) cancelled(cancelTime string, asked *InquiryPaymentResponse) *TillResult {
	result := ids.result(TillCancelled, ResultCodeOrderIsCanceled)
	result.CancelTime = cancelTime
	if asked != nil {
		result.MoneyBack = Ptr(asked.PaymentTime != "" || len(asked.Transactions) > 0)
	}
	return result
}

func (ids tillIDs) unknown(code ResultCode, cause error) *TillResult {
	result := ids.result(TillUnknown, code)
	result.Advice = "Keep the goods and the id. Call finishByCode with the id until the outcome is known."
	result.Cause = cause
	return result
}

// endOf returns the final outcome in an inquiry; nil as long as there is none.
func (ids tillIDs) endOf(asked heard[InquiryPaymentResponse]) *TillResult {
	answer := asked.answer
	if answer == nil || !answer.IsSuccess() {
		return nil
	}
	switch answer.PaymentStatus {
	case PaymentStatusSuccess:
		if !isGoingBack(answer) {
			return ids.paid(answer.PaymentTime, answer.PaymentAmount, answer.ActualPaymentAmount)
		}
	case PaymentStatusFail:
		code := ResultCode(answer.PaymentResultCode)
		if code == "" {
			code = ResultCodeProcessFail
		}
		return ids.result(TillDeclined, code)
	case PaymentStatusCancelled:
		return ids.cancelled("", answer)
	}
	return nil
}

// isGoingBack reports whether a cancel is in progress: the payment stays paid until its payment provider has
// confirmed the reversal.
func isGoingBack(answer *InquiryPaymentResponse) bool {
	for _, each := range answer.Transactions {
		if each.TransactionType == "CANCEL" && each.TransactionStatus == "PROCESSING" {
			return true
		}
	}
	return false
}
