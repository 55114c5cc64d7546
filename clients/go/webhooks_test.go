package tollgate_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tollgate.example/tollgate"
	"tollgate.example/tollgate/tollgatetest"
)

const told = `{"notifyType":"PAYMENT_RESULT","result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"},` +
	`"paymentRequestId":"order-1","paymentId":"p-1","sequence":7,"paymentAmount":{"currency":"EUR","value":"1250"},` +
	`"paymentCreateTime":"2026-11-15T09:30:07+00:00","aFieldToCome":null}`

// receiver has no private key.
func receiver(t *testing.T) *tollgate.Webhooks {
	t.Helper()
	webhooks, err := tollgate.NewWebhooks(tollgate.WithClientID("SANDBOX_1"), tollgate.WithGatewayPublicKey(keysOnce()[1].Public))
	if err != nil {
		t.Fatal(err)
	}
	return webhooks
}

func deliver(t *testing.T, handler http.Handler, body, key string, at time.Time) *httptest.ResponseRecorder {
	t.Helper()
	header, err := tollgatetest.SignNotification("https://shop.example/tollgate/notify?shop=1", []byte(body), "SANDBOX_1", key, at)
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodPost, "/tollgate/notify?shop=1", strings.NewReader(body))
	request.Header = header
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

func TestAWebhookIsVerifiedAppliedAndAcknowledged(t *testing.T) {
	webhooks := receiver(t)
	var heard []*tollgate.Notification
	var failure error
	// A router that changes the URL does not change the signed path.
	handler := http.StripPrefix("/tollgate", webhooks.Handler(func(_ context.Context, n *tollgate.Notification) error {
		heard = append(heard, n)
		return failure
	}))
	theirs, stranger := keysOnce()[1].Private, keysOnce()[0].Private
	if answered := deliver(t, handler, told, theirs, time.Now()); answered.Code != 200 || answered.Body.String() != webhooks.Ack() {
		t.Error(answered.Code, answered.Body)
	}
	body, isPayment := heard[0].Body.(*tollgate.PaymentNotification)
	if !isPayment || body.PaymentRequestID != "order-1" || heard[0].Subject != "notifyPayment p-1" || heard[0].Sequence != 7 {
		t.Error(heard[0])
	}
	if answered := deliver(t, handler, told, stranger, time.Now()); answered.Code != 401 || answered.Body.Len() > 0 {
		t.Error("a forgery is taken", answered.Code)
	}
	if answered := deliver(t, handler, told, theirs, time.Now().Add(-6*time.Minute)); answered.Code != 401 {
		t.Error("an old one is taken", answered.Code)
	}
	failure = errors.New("the order is not there yet")
	if answered := deliver(t, handler, told, theirs, time.Now()); answered.Code != 500 || answered.Body.Len() > 0 {
		t.Error("what failed is acknowledged", answered.Code)
	}
	if len(heard) != 2 {
		t.Error(len(heard))
	}
	request := httptest.NewRequest(http.MethodGet, "/tollgate/notify", nil)
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusMethodNotAllowed {
		t.Error(recorder.Code)
	}
}

func TestABodyThatWasReadBeforeIsReported(t *testing.T) {
	request := httptest.NewRequest(http.MethodPost, "/notify", strings.NewReader(told))
	if _, err := io.Copy(io.Discard, request.Body); err != nil {
		t.Fatal(err)
	}
	_, err := receiver(t).ConstructRequest(request)
	var untrusted *tollgate.SignatureVerificationError
	if !errors.As(err, &untrusted) || untrusted.Reason != tollgate.SignatureBodyAlreadyParsed {
		t.Error(err)
	}
}

func TestAnUnknownWebhookIsKept(t *testing.T) {
	body := `{"notifyType":"SOMETHING_NEW","more":1}`
	header, err := tollgatetest.SignNotification("/notify", []byte(body), "SANDBOX_1", keysOnce()[1].Private, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	notification, err := receiver(t).Construct(tollgate.Incoming{Path: "/notify", Header: header, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	unknown, isUnknown := notification.Body.(*tollgate.UnknownNotification)
	if !isUnknown || string(unknown.Fields["more"]) != "1" || !strings.HasPrefix(notification.Subject, "unknown ") {
		t.Error(notification)
	}
}

func TestTheFeedIsReadPageByPage(t *testing.T) {
	event := func(cursor string) fields {
		return fields{
			"cursor": cursor, "notificationId": "n-" + cursor, "kind": "notifyPayment", "subjectId": "p-1", "sequence": 7,
			"createdTime": "2026-11-15T09:30:07+00:00", "body": told,
		}
	}
	client, gateway := scripted(t, []tollgatetest.Reply{
		answer("S", "SUCCESS", fields{"events": []fields{event("1"), event("2")}, "nextCursor": "2", "hasMore": true}),
		answer("S", "SUCCESS", fields{"events": []fields{event("3")}, "nextCursor": "3", "hasMore": false}),
		answer("F", "ACCESS_DENIED", nil),
	})
	var cursors []string
	var ended error
	for event, err := range client.Tollgate.Events(context.Background(), tollgate.EventsOptions{From: "0", Poll: time.Second}) {
		if err != nil {
			ended = err
			break
		}
		if _, isPayment := event.Body.(*tollgate.PaymentNotification); !isPayment || event.Subject != "notifyPayment p-1" || event.Sequence != 7 {
			t.Error(event)
		}
		cursors = append(cursors, event.Cursor)
	}
	if strings.Join(cursors, "") != "123" || !errors.Is(ended, tollgate.ErrPermission) {
		t.Error(cursors, ended)
	}
	for index, cursor := range []string{"0", "2", "3"} {
		if !strings.Contains(string(gateway.Requests()[index].Body), `"cursor":"`+cursor+`"`) {
			t.Error(string(gateway.Requests()[index].Body))
		}
	}
}

func TestAListIsReadPageByPage(t *testing.T) {
	sent := func(id string) fields { return fields{"notificationId": id} }
	client, gateway := scripted(t, []tollgatetest.Reply{
		answer("S", "SUCCESS", fields{"notifications": []fields{sent("a"), sent("b")}, "hasMore": true}),
		answer("S", "SUCCESS", fields{"notifications": []fields{sent("c")}, "hasMore": false}),
	})
	var ids string
	for each, err := range client.Tollgate.Notifications(context.Background(), tollgate.InquiryNotificationsRequest{SubjectID: "p-1"}) {
		if err != nil {
			t.Fatal(err)
		}
		ids += each.NotificationID
	}
	if ids != "abc" || !strings.Contains(string(gateway.Requests()[1].Body), `"after":"b"`) {
		t.Error(ids)
	}
}
