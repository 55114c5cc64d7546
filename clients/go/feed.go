package tollgate

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"
)

// Event is an event of the feed: the content of a webhook, typed like one, and usable with ApplyOnce. Its
// subject is the same as that of the webhook, so ApplyOnce skips whichever of the two arrives second.
type Event struct {
	News
	// Cursor is the position of the event in the feed. Store it in the transaction in which you apply the
	// event, and continue from it.
	Cursor string
	// NotificationID is the gateway's id of the webhook; empty in a stream.
	NotificationID string
	// Kind is the kind of webhook, such as notifyPayment; KindUnknown if this version of the library has no
	// type for it.
	Kind NotificationKind
	// Body is the body of the webhook, such as a *PaymentNotification; or an *UnknownNotification.
	Body NotificationBody
	// CreatedTime is the creation time; empty in a stream.
	CreatedTime string
}

// EventsOptions has the options for reading the feed: where to begin, and when to stop.
type EventsOptions struct {
	// From is the cursor of the last event that you have applied: "" starts at the beginning, and "latest" at
	// the end.
	From string
	// PageSize is the number of events per request; 0 means the gateway's default.
	PageSize int64
	// Follow continues at the end of the feed with the gateway's stream, until the context ends. After a
	// temporary fault, the loop continues after the last event.
	Follow bool
	// Poll is the polling interval at the end of the feed, until the context ends. With 0, the loop ends at
	// the end of the feed.
	Poll time.Duration
}

// Events reads all webhooks in order, page by page:
//
//	for event, err := range client.Tollgate.Events(ctx, tollgate.EventsOptions{From: cursor}) {
//
// An error ends the loop; start again from the last cursor.
func (a *TollgateArea) Events(ctx context.Context, options EventsOptions) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		r := &reading{area: a, options: options, cursor: options.From, yield: yield}
		for {
			before := r.cursor
			err := r.catchUp(ctx)
			if err == nil && options.Follow {
				// Pages are read before the stream, because one signature covers a hundred events of a page,
				// but only one event of a stream.
				err = r.listen(ctx)
			}
			if errors.Is(err, errLeft) {
				return
			}
			if pause, goesOn := r.pauseAfter(ctx, err, r.cursor != before); !goesOn {
				if err != nil {
					yield(nil, err)
				}
				return
			} else if a.caller.clock.Sleep(ctx, pause) != nil {
				yield(nil, outcome{facts: CallFacts{Operation: feedOperation}}.canceled(ctx).err)
				return
			}
		}
	}
}

const (
	feedOperation    = "tollgate/inquiryEvents"
	firstFeedPause   = time.Second
	longestFeedPause = 30 * time.Second
)

// errLeft means that the caller left the loop.
var errLeft = errors.New("the loop was left")

// reading is the reader's position in the feed.
type reading struct {
	area    *TollgateArea
	options EventsOptions
	cursor  string
	pause   time.Duration
	yield   func(*Event, error) bool
}

func (r *reading) catchUp(ctx context.Context) error {
	for {
		request := InquiryEventsRequest{Cursor: r.cursor}
		if r.options.PageSize > 0 {
			request.Limit = &r.options.PageSize
		}
		page, err := r.area.InquiryEvents(ctx, request)
		if err != nil {
			return err
		}
		for _, each := range page.Events {
			event, err := eventOf(each)
			if err != nil {
				return err
			}
			if err := r.tell(event); err != nil {
				return err
			}
		}
		if page.NextCursor != "" {
			r.cursor = page.NextCursor
		}
		if page.HasMore == nil || !*page.HasMore {
			return nil
		}
	}
}

func (r *reading) tell(event *Event) error {
	if !r.yield(event, nil) {
		return errLeft
	}
	r.cursor = event.Cursor
	return nil
}

// pauseAfter returns the pause before the next request, and whether to continue.
func (r *reading) pauseAfter(ctx context.Context, err error, hasMoved bool) (time.Duration, bool) {
	switch {
	case err != nil && (!r.options.Follow || !isPassing(err) || ctx.Err() != nil):
		return 0, false
	case err == nil && !r.options.Follow:
		return r.options.Poll, r.options.Poll > 0
	case err == nil || hasMoved:
		r.pause = firstFeedPause
	default:
		r.pause = min(max(r.pause*2, firstFeedPause), longestFeedPause)
	}
	if err != nil {
		words := "Reading the feed failed; it continues after " + r.cursor + ": " + err.Error()
		r.area.caller.log.tell(ctx, slog.LevelWarn, words, CallFacts{Operation: feedOperation})
	}
	return r.pause, true
}

func eventOf(entry FeedEvent) (*Event, error) {
	kind, body, news, err := readNotification([]byte(entry.Body))
	if err != nil {
		return nil, err
	}
	return &Event{
		News: news, Cursor: entry.Cursor, NotificationID: entry.NotificationID, Kind: kind, Body: body, CreatedTime: entry.CreatedTime,
	}, nil
}

// Notifications returns all webhooks that the request selects, oldest first, page by page. An error ends the
// loop.
func (a *TollgateArea) Notifications(
	ctx context.Context, request InquiryNotificationsRequest,
) iter.Seq2[*SentNotification, error] {
	return func(yield func(*SentNotification, error) bool) {
		for {
			page, err := a.InquiryNotifications(ctx, request)
			if err != nil {
				yield(nil, err)
				return
			}
			for index := range page.Notifications {
				if !yield(&page.Notifications[index], nil) {
					return
				}
			}
			if len(page.Notifications) == 0 || page.HasMore == nil || !*page.HasMore {
				return
			}
			request.After = page.Notifications[len(page.Notifications)-1].NotificationID
		}
	}
}
