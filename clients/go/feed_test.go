package tollgate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tollgate.example/tollgate"
	"tollgate.example/tollgate/tollgatetest"
)

// streamingFeed is a gateway whose feed has the events up to last() in pages, and then streams events from
// the script.
type streamingFeed struct {
	t      *testing.T
	asked  []tollgate.InquiryEventsRequest
	last   func() int
	stream func(write func(number int, key string))
}

func bodyOf(number int) string {
	return strings.ReplaceAll(told, "p-1", fmt.Sprint("p-", number))
}

func (f *streamingFeed) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	var asked tollgate.InquiryEventsRequest
	if err := json.Unmarshal(body, &asked); err != nil {
		f.t.Error(err)
	}
	f.asked = append(f.asked, asked)
	path := request.URL.Path
	if asked.Follow == nil {
		f.page(writer, path, asked.Cursor)
		return
	}
	writer.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(writer, "retry: 1000\n\n:\n\n")
	f.stream(func(number int, key string) {
		header := f.signed(path, bodyOf(number), key)
		data, _ := json.Marshal(fields{
			"requestTime": header.Get("Request-Time"), "signature": header.Get("Signature"), "body": bodyOf(number),
		})
		_, _ = fmt.Fprintf(writer, "id: %d\nevent: notifyPayment\ndata: %s\n\n", number, data)
		_ = http.NewResponseController(writer).Flush()
	})
}

func (f *streamingFeed) page(writer http.ResponseWriter, path, cursor string) {
	var from int
	_, _ = fmt.Sscan(cursor, &from)
	events := []fields{}
	for number := from + 1; number <= f.last(); number++ {
		events = append(events, fields{
			"cursor": fmt.Sprint(number), "notificationId": fmt.Sprint("n-", number), "kind": "notifyPayment",
			"subjectId": fmt.Sprint("p-", number), "sequence": 7, "createdTime": "2026-11-15T09:30:07+00:00", "body": bodyOf(number),
		})
	}
	body, _ := json.Marshal(fields{
		"result": fields{"resultCode": "SUCCESS", "resultStatus": "S", "resultMessage": ""},
		"events": events, "nextCursor": fmt.Sprint(f.last()), "hasMore": false,
	})
	header := f.signed(path, string(body), keysOnce()[1].Private)
	writer.Header().Set("Response-Time", header.Get("Request-Time"))
	writer.Header().Set("Signature", header.Get("Signature"))
	_, _ = writer.Write(body)
}

func (f *streamingFeed) signed(path, body, key string) http.Header {
	header, err := tollgatetest.SignNotification(path, []byte(body), "SANDBOX_1", key, time.Now())
	if err != nil {
		f.t.Error(err)
	}
	return header
}

// impatient is the system clock without pauses.
type impatient struct{}

func (impatient) Now() time.Time                                   { return time.Now() }
func (impatient) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func followed(t *testing.T, feed *streamingFeed) *tollgate.Client {
	t.Helper()
	feed.t = t
	server := httptest.NewServer(feed)
	t.Cleanup(server.Close)
	client, _ := scripted(
		t, nil, tollgate.WithBaseURL(server.URL), tollgate.WithTransport(server.Client().Transport), tollgate.WithClock(impatient{}),
	)
	return client
}

func TestTheStreamDeliversEventsAndContinuesAfterADisconnect(t *testing.T) {
	var streams atomic.Int32
	feed := &streamingFeed{
		last: func() int {
			if streams.Load() == 0 {
				return 2
			}
			return 4
		},
		stream: func(write func(int, string)) {
			write([]int{0, 3, 5}[streams.Add(1)], keysOnce()[1].Private)
		},
	}
	client := followed(t, feed)
	heard := ""
	for event, err := range client.Tollgate.Events(context.Background(), tollgate.EventsOptions{Follow: true}) {
		if err != nil {
			t.Fatal(err)
		}
		heard += event.Cursor + " " + event.Subject + "\n"
		if event.Cursor == "5" {
			break
		}
	}
	expected := ""
	for number := 1; number <= 5; number++ {
		expected += fmt.Sprintf("%d notifyPayment p-%d\n", number, number)
	}
	if heard != expected {
		t.Error(heard)
	}
	for index, cursor := range []string{"", "2", "3", "4"} {
		if feed.asked[index].Cursor != cursor || (feed.asked[index].Follow != nil) != (index%2 == 1) {
			t.Error(index, feed.asked[index])
		}
	}
}

func TestAStreamEventWithAnInvalidSignatureEndsTheLoop(t *testing.T) {
	client := followed(t, &streamingFeed{
		last:   func() int { return 0 },
		stream: func(write func(int, string)) { write(1, keysOnce()[0].Private) },
	})
	for event, err := range client.Tollgate.Events(context.Background(), tollgate.EventsOptions{Follow: true}) {
		var untrusted *tollgate.SignatureVerificationError
		if event != nil || !errors.As(err, &untrusted) || untrusted.Reason != tollgate.SignatureMismatch {
			t.Error(event, err)
		}
	}
}

func TestAnIdleStreamEndsWithTheContext(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	left := make(chan struct{})
	client := followed(t, &streamingFeed{
		last: func() int { return 0 },
		stream: func(func(int, string)) {
			stop()
			<-left
		},
	})
	var canceled *tollgate.CanceledError
	for _, err := range client.Tollgate.Events(ctx, tollgate.EventsOptions{Follow: true}) {
		if !errors.As(err, &canceled) {
			t.Error(err)
		}
	}
	close(left)
	if canceled == nil {
		t.Error("It ended without a word.")
	}
}
