package main

import (
	"encoding/json"

	"tollgate.example/tollgate"
)

type moneyRow struct {
	Currency, Decimal, Expect, Value, Written string
}

func moneyCase(each testCase) string {
	row := as[moneyRow](each)
	value, written, err := thereAndBack(row)
	if err != nil {
		return difference("REFUSED", row.Expect)
	}
	return difference([]string{value, written, "OK"}, []string{row.Value, row.Written, row.Expect})
}

func thereAndBack(row moneyRow) (value, written string, err error) {
	money, err := tollgate.MoneyOf(row.Currency, row.Decimal)
	if err != nil {
		return "", "", err
	}
	amount, err := money.Amount()
	if err != nil {
		return "", "", err
	}
	back, err := tollgate.MoneyFrom(amount)
	return amount.Value, back.Decimal(), err
}

type modelRow struct {
	Type   string
	JSON   json.RawMessage
	Expect any
}

func modelCase(each testCase) string {
	row := as[modelRow](each)
	model := modelNamed(row.Type)
	if model == nil {
		return "unknown type " + row.Type
	}
	if err := json.Unmarshal(row.JSON, model); err != nil {
		return err.Error()
	}
	// The model must survive a round trip: reading the written JSON again must give the same model.
	again := modelNamed(row.Type)
	if err := json.Unmarshal([]byte(text(model)), again); err != nil {
		return err.Error()
	}
	if text(model) != text(again) {
		return "reading the written JSON gives another value"
	}
	return difference(model, row.Expect)
}

type outcomeRow struct {
	Type    string
	JSON    json.RawMessage
	Outcome string
}

// outcomeCase reads all four outcome properties: exactly one is true.
func outcomeCase(each testCase) string {
	row := as[outcomeRow](each)
	model := modelNamed(row.Type)
	if err := json.Unmarshal(row.JSON, model); err != nil {
		return err.Error()
	}
	asked, ok := model.(interface {
		IsPaid() bool
		IsAuthorized() bool
		IsPending() bool
		IsFailed() bool
	})
	if !ok {
		return row.Type + " has no outcome"
	}
	found := []string{}
	for _, question := range []struct {
		outcome string
		holds   bool
	}{
		{"PAID", asked.IsPaid()},
		{"AUTHORIZED", asked.IsAuthorized()},
		{"PENDING", asked.IsPending()},
		{"FAILED", asked.IsFailed()},
	} {
		if question.holds {
			found = append(found, question.outcome)
		}
	}
	return difference(found, []string{row.Outcome})
}
