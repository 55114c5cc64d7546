package tollgate

import "time"

// TillState says what is being done with a payment at a till.
type TillState string

// The states that a till tells.
const (
	// TillAsking says that the buyer is asked to pay.
	TillAsking TillState = "asking"
	// TillChecking says that nobody knows yet, and the gateway is asked.
	TillChecking TillState = "checking"
	// TillCancelling says that it is called off.
	TillCancelling TillState = "cancelling"
)

// TillOutcome says how a payment at a till has ended. The buyer leaves with the goods on TillPaid, and on nothing else.
type TillOutcome string

// How a payment at a till ends.
const (
	// TillPaid says that the money was taken: hand over the goods.
	TillPaid TillOutcome = "paid"
	// TillDeclined says that nothing was taken, and nothing will be.
	TillDeclined TillOutcome = "declined"
	// TillCancelled says that it was called off: nothing will be taken any more.
	TillCancelled TillOutcome = "cancelled"
	// TillUnknown says that nobody knows, not even whether it is cancelled. Keep the id, and finish it with FinishByCode.
	TillUnknown TillOutcome = "unknown"
)

// TillResult is how a payment at a till has ended.
type TillResult struct {
	// Outcome says how. The buyer leaves with the goods on TillPaid, and on nothing else.
	Outcome TillOutcome
	// PaymentRequestID is your own id: whatever became of the payment, it is known by this one.
	PaymentRequestID string
	// PaymentID is the gateway's id, if an answer has told it.
	PaymentID string
	// ResultCode says why; "" if nothing was heard.
	ResultCode ResultCode
	// Advice says what to do now.
	Advice string
	// PaymentTime is when it was paid, if it was.
	PaymentTime string
	// PaymentAmount is what was asked for, if it was paid.
	PaymentAmount Amount
	// ActualPaymentAmount is what the buyer has paid, if it was paid.
	ActualPaymentAmount Amount
	// CancelTime is when it was cancelled, if it was and the gateway has told.
	CancelTime string
	// MoneyBack says, of what is cancelled, whether money had been taken, and went back; nil if nobody said.
	MoneyBack *bool
	// Cause is what came in place of the last answer, if it is unknown how it ended.
	Cause error
}

// OpenCode is a code or a page that a buyer can pay with until EndsAt. Nothing is paid yet. Pass it to FinishOpenCode.
type OpenCode struct {
	// PaymentRequestID is your own id of the payment.
	PaymentRequestID string
	// PaymentID is the gateway's id of it.
	PaymentID string
	// CodeText is what the code says, of ShowOrderCode: draw it.
	CodeText string
	// RedirectURL is the page to send the buyer to, of OpenEntryCode.
	RedirectURL string
	// EndsAt is by the clock of this machine.
	EndsAt time.Time
}

// heard is what became of a call: an answer that is signed, or anything else, which says nothing about money.
type heard[Answer any] struct {
	answer *Answer
	code   ResultCode
	fault  error
}

// tillIDs is what names a payment, as far as answers have told.
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

// cancelled takes what an inquiry said afterwards, if it did: only that tells whether there was money to give back.
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
	result.Advice = "Keep the goods and the id, and call finishByCode with it until it says something else."
	result.Cause = cause
	return result
}

// endOf is the end that an inquiry tells; nil as long as there is none.
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

// isGoingBack: a cancel is under way; the payment is called paid until its wallet has confirmed that it is not any more.
func isGoingBack(answer *InquiryPaymentResponse) bool {
	for _, each := range answer.Transactions {
		if each.TransactionType == "CANCEL" && each.TransactionStatus == "PROCESSING" {
			return true
		}
	}
	return false
}
