package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"tollgate.example/tollgate"
)

var gateway = os.Getenv("CONFORMANCE_URL")

var exchanges = read[struct {
	ClientID          string         `json:"clientId"`
	Key               string         `json:"key"`
	KeyVersion        int            `json:"keyVersion"`
	GatewayPublicKeys map[int]string `json:"gatewayPublicKeys"`
}]("http.json")

type exchange struct {
	ID        string
	Operation string
	ClientID  *string
	Client    struct {
		Environment           *string
		AllowUnsignedRefusals *bool
		AgentToken            *string
		BaseURL               *string
		TimeoutMs             *int
	}
	Call struct {
		ThrowOnFailure *bool
		TimeoutMs      *int
		DeadlineMs     *int
		MaxRetries     *int
		Headers        map[string]string
	}
	Wait *struct{ TimeoutMs int }
	// Expect has the expected values, with the field names of http.json.
	Expect struct {
		Outcome, Class, Code, ResultStatus, Reason string
		HTTPStatus                                 int
		IsSigned                                   *bool
		Message                                    *string
		Fields                                     object
		Absent                                     []string
		WithinMs                                   *int
		Attempts                                   int
	}
}

func merchantOptions() []tollgate.Option {
	public := map[int]string{}
	for version, name := range exchanges.GatewayPublicKeys {
		public[version] = keyPairs[name].PublicSpki
	}
	return []tollgate.Option{
		tollgate.WithClientID(exchanges.ClientID),
		tollgate.WithPrivateKey(keyPairs[exchanges.Key].PrivatePkcs8),
		tollgate.WithKeyVersion(exchanges.KeyVersion),
		tollgate.WithGatewayPublicKeys(public),
		tollgate.WithBaseURL(gateway),
	}
}

func (e exchange) options() []tollgate.Option {
	options := merchantOptions()
	if e.ClientID != nil {
		options = append(options, tollgate.WithClientID(*e.ClientID))
	}
	if given := e.Client; given.Environment != nil {
		options = append(options, tollgate.WithEnvironment(tollgate.Environment(*given.Environment)))
	}
	if given := e.Client; given.AllowUnsignedRefusals != nil && !*given.AllowUnsignedRefusals {
		options = append(options, tollgate.WithSignedRefusalsOnly())
	}
	if given := e.Client; given.AgentToken != nil {
		options = append(options, tollgate.WithAgentToken(*given.AgentToken))
	}
	if given := e.Client; given.BaseURL != nil {
		options = append(options, tollgate.WithBaseURL(*given.BaseURL))
	}
	if given := e.Client; given.TimeoutMs != nil {
		options = append(options, tollgate.WithTimeout(ms(*given.TimeoutMs)))
	}
	return options
}

func (e exchange) callOptions() []tollgate.CallOption {
	var options []tollgate.CallOption
	if e.Call.ThrowOnFailure != nil && !*e.Call.ThrowOnFailure {
		options = append(options, tollgate.WithFailuresReturned())
	}
	if e.Call.TimeoutMs != nil {
		options = append(options, tollgate.WithTimeout(ms(*e.Call.TimeoutMs)))
	}
	if e.Call.MaxRetries != nil {
		options = append(options, tollgate.WithMaxRetries(*e.Call.MaxRetries))
	}
	for name, value := range e.Call.Headers {
		options = append(options, tollgate.WithHeader(name, value))
	}
	return options
}

func ms(count int) time.Duration { return time.Duration(count) * time.Millisecond }

func httpCase(each testCase) string {
	asked := as[exchange](each)
	run := fmt.Sprintf("go/%s/%s", asked.ID, tollgate.NewRequestID("run"))
	started := time.Now()
	problem := asked.problem(run)
	took := time.Since(started)
	if problem != "" {
		return problem
	}
	if limit := asked.Expect.WithinMs; limit != nil && took > ms(*limit) {
		return fmt.Sprintf("it took %d ms", took.Milliseconds())
	}
	seen := seenOf(run)
	// The number of polls is not compared, because it depends on the speed of the machine.
	if asked.Wait != nil {
		return difference(seen["problems"], []string{})
	}
	return difference(seen, object{"attempts": asked.Expect.Attempts, "problems": []string{}})
}

func seenOf(run string) object {
	response, err := http.Get(gateway + "/seen?run=" + url.QueryEscape(run))
	if err != nil {
		panic(err)
	}
	defer func() { _ = response.Body.Close() }()
	var seen object
	if err := json.NewDecoder(response.Body).Decode(&seen); err != nil {
		panic(err)
	}
	return seen
}

func (e exchange) problem(run string) string {
	client, err := tollgate.New(e.options()...)
	if err != nil {
		return e.errorProblem(err)
	}
	defer client.Close()
	ctx := context.Background()
	for _, limit := range []*int{e.Call.DeadlineMs, waitOf(e)} {
		if limit != nil {
			limited, stop := context.WithTimeout(ctx, ms(*limit))
			defer stop()
			ctx = limited
		}
	}
	if e.Wait != nil {
		_, err := client.Payments.WaitForFinal(ctx, tollgate.InquiryPaymentRequest{PaymentRequestID: run})
		return e.errorProblem(err)
	}
	answer, err := client.Request(ctx, e.Operation, object{"paymentRequestId": run}, e.callOptions()...)
	if err != nil {
		return e.errorProblem(err)
	}
	return e.answerProblem(answer)
}

func waitOf(e exchange) *int {
	if e.Wait == nil {
		return nil
	}
	return &e.Wait.TimeoutMs
}

func (e exchange) answerProblem(answer *tollgate.AnyAnswer) string {
	status := ""
	for word, holds := range map[string]bool{"S": answer.IsSuccess(), "F": answer.IsFailure(), "U": answer.IsPending()} {
		if holds {
			status += word
		}
	}
	fields, absent := object{}, []string{}
	for name := range e.Expect.Fields {
		fields[name] = answer.Extra[name]
	}
	for _, name := range e.Expect.Absent {
		if _, isThere := answer.Extra[name]; !isThere {
			absent = append(absent, name)
		}
	}
	expected := e.Expect
	if expected.Fields == nil {
		expected.Fields = object{}
	}
	found := []any{"answer", answer.Result.ResultCode, status, fields, len(absent), answer.Call.Attempts}
	return difference(found, []any{
		expected.Outcome, expected.Code, expected.ResultStatus, expected.Fields, len(expected.Absent), expected.Attempts,
	})
}

func (e exchange) errorProblem(err error) string {
	var failed tollgate.GatewayError
	if !errors.As(err, &failed) {
		return fmt.Sprintf("%T: %v", err, err)
	}
	found := exchange{}.Expect
	found.Outcome, found.Class, found.Attempts = "error", classOf(failed), failed.Facts().Attempts
	var (
		refusal   *tollgate.ResultError
		signature *tollgate.SignatureVerificationError
		status    *tollgate.HTTPStatusError
	)
	switch {
	case errors.As(err, &refusal):
		found.Code, found.IsSigned = string(refusal.Code), &refusal.IsSigned
	case errors.As(err, &signature):
		found.Reason = string(signature.Reason)
	case errors.As(err, &status):
		found.HTTPStatus = status.Status
	}
	expected := e.Expect
	if expected.Message != nil {
		found.Message = tollgate.Ptr(err.Error())
	}
	expected.WithinMs = nil
	return difference(found, expected)
}

// classOf returns the name of the error in the other languages.
func classOf(err error) string {
	kinds := map[error]string{
		tollgate.ErrInvalidRequest:      "InvalidRequestError",
		tollgate.ErrAuthentication:      "AuthenticationError",
		tollgate.ErrPermission:          "PermissionError",
		tollgate.ErrIdempotencyConflict: "IdempotencyConflictError",
		tollgate.ErrRateLimit:           "RateLimitError",
		tollgate.ErrNotFound:            "NotFoundError",
		tollgate.ErrDeclined:            "DeclinedError",
		tollgate.ErrServer:              "ServerError",
	}
	for kind, name := range kinds {
		if errors.Is(err, kind) {
			return name
		}
	}
	switch err.(type) {
	case *tollgate.ConfigurationError:
		return "ConfigurationError"
	case *tollgate.InvalidKeyError:
		return "InvalidKeyError"
	case *tollgate.ConnectionError:
		return "ConnectionError"
	case *tollgate.TimeoutError:
		return "TimeoutError"
	case *tollgate.HTTPStatusError:
		return "HttpStatusError"
	case *tollgate.SignatureVerificationError:
		return "SignatureVerificationError"
	case *tollgate.MalformedResponseError:
		return "MalformedResponseError"
	case *tollgate.ResultError:
		return "ResultError"
	}
	return fmt.Sprintf("%T", err)
}
