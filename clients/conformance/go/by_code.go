package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"time"

	"tollgate.example/tollgate"
)

var tillRequests = read[struct {
	Requests map[string]tollgate.PayRequest
}]("by-code.json").Requests

type tillCase struct {
	ID, Call, StopAt string
	Finish           bool
	Options          struct {
		InquireAfterSeconds []float64
		CancelAfterSeconds  []float64
		TimeoutMs           int
	}
	Expect struct {
		Open, Result object
		Absent       []string
		Calls        []string
		SleptSeconds []float64
		States       []string
	}
}

// jumpingClock advances by the requested duration, and Sleep returns at once.
type jumpingClock struct {
	mutex sync.Mutex
	slept []float64
}

func (c *jumpingClock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	now := time.Now()
	for _, seconds := range c.slept {
		now = now.Add(secondsOf(seconds))
	}
	return now
}

func (c *jumpingClock) Sleep(ctx context.Context, pause time.Duration) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.slept = append(c.slept, pause.Seconds())
	return ctx.Err()
}

func secondsOf(count float64) time.Duration { return time.Duration(count * float64(time.Second)) }

// tillRun is a running case.
type tillRun struct {
	tillCase
	id     string
	states []string
	stop   context.CancelFunc
}

func (r *tillRun) options() tollgate.TillOptions {
	return tollgate.TillOptions{
		InquireAfter: pauses(r.Options.InquireAfterSeconds),
		CancelAfter:  pauses(r.Options.CancelAfterSeconds),
		Timeout:      ms(r.Options.TimeoutMs),
		OnState: func(state tollgate.TillState) {
			if len(r.states) == 0 || r.states[len(r.states)-1] != string(state) {
				r.states = append(r.states, string(state))
			}
			if string(state) == r.StopAt {
				r.stop()
			}
		},
	}
}

func pauses(seconds []float64) []time.Duration {
	if seconds == nil {
		return nil
	}
	all := make([]time.Duration, len(seconds))
	for index, each := range seconds {
		all[index] = secondsOf(each)
	}
	return all
}

func (r *tillRun) call(ctx context.Context, client *tollgate.Client) (*tollgate.OpenCode, *tollgate.TillResult, error) {
	request := tillRequests[r.Call]
	request.PaymentRequestID = r.id
	switch r.Call {
	case "payByCode":
		result, err := client.Payments.PayByCode(ctx, request, r.options())
		return nil, result, err
	case "showOrderCode":
		return client.Payments.ShowOrderCode(ctx, request, r.options())
	case "openEntryCode":
		return client.Payments.OpenEntryCode(ctx, request, r.options())
	}
	result, err := client.Payments.FinishByCode(ctx, r.id, r.options())
	return nil, result, err
}

func byCodeCase(each testCase) string {
	run := &tillRun{tillCase: as[tillCase](each)}
	run.id = fmt.Sprintf("go/%s/%s", run.ID, tollgate.NewRequestID("run"))
	clock := &jumpingClock{}
	client, err := tollgate.New(append(merchantOptions(), tollgate.WithClock(clock))...)
	if err != nil {
		return err.Error()
	}
	defer client.Close()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	run.stop = stop
	open, result, err := run.call(ctx, client)
	opened := clock.Now()
	if err == nil && open != nil && run.Finish {
		result, err = client.Payments.FinishOpenCode(ctx, open, run.options())
	}
	if err != nil {
		return err.Error()
	}
	return run.problem(open, opened, result, clock.slept)
}

func (r *tillRun) problem(open *tollgate.OpenCode, opened time.Time, result *tollgate.TillResult, slept []float64) string {
	facts, absent := factsOf(result), []string{}
	for _, name := range r.Expect.Absent {
		if _, isThere := facts[name]; !isThere {
			absent = append(absent, name)
		}
	}
	seen := seenOf(r.id)
	if r.Expect.SleptSeconds == nil {
		slept = nil
	} else if slept == nil {
		slept = []float64{}
	}
	hasIDs := (open == nil || open.PaymentRequestID == r.id) && (result == nil || result.PaymentRequestID == r.id)
	found := []any{
		seen["calls"], seen["problems"], absent, named(openFacts(open, opened), r.Expect.Open),
		named(facts, r.Expect.Result), hasIDs, r.states, slept,
	}
	expected := r.Expect
	if expected.Absent == nil {
		expected.Absent = []string{}
	}
	return difference(found, []any{
		expected.Calls, []string{}, expected.Absent, expected.Open, expected.Result, true, expected.States, expected.SleptSeconds,
	})
}

// factsOf returns the result with the field names of the case; unset fields are absent.
func factsOf(result *tollgate.TillResult) object {
	if result == nil {
		return nil
	}
	facts := object{"outcome": result.Outcome, "paymentRequestId": result.PaymentRequestID, "advice": result.Advice}
	texts := map[string]string{
		"paymentId": result.PaymentID, "resultCode": string(result.ResultCode),
		"paymentTime": result.PaymentTime, "cancelTime": result.CancelTime,
	}
	for name, value := range texts {
		if value != "" {
			facts[name] = value
		}
	}
	for name, amount := range map[string]tollgate.Amount{
		"paymentAmount": result.PaymentAmount, "actualPaymentAmount": result.ActualPaymentAmount,
	} {
		if !amount.IsZero() {
			facts[name] = json.RawMessage(text(amount))
		}
	}
	if result.MoneyBack != nil {
		facts["moneyBack"] = *result.MoneyBack
	}
	return facts
}

// openFacts rounds the expiry to ten seconds, because times are written in whole seconds.
func openFacts(open *tollgate.OpenCode, opened time.Time) object {
	if open == nil {
		return nil
	}
	return object{
		"outcome": "open", "paymentId": open.PaymentID, "codeText": open.CodeText, "redirectUrl": open.RedirectURL,
		"endsInSeconds": math.Round(open.EndsAt.Sub(opened).Seconds()/10) * 10,
	}
}

// named returns the fields of the result that the case names. A field that the case sets to null must be
// absent.
func named(found, expected object) any {
	if found == nil {
		return object(nil)
	}
	if expected == nil {
		return "there"
	}
	some := object{}
	for name := range expected {
		some[name] = found[name]
	}
	return some
}
