package tollgate

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"
)

// Event is an entry of the feed: what was or will be told by notification, typed like one, and as good for ApplyOnce. The subject
// is the same as that of the notification, so whichever comes second is old news.
type Event struct {
	News
	// Cursor is its place in the feed. Keep it in the transaction in which you apply the event, and go on from there.
	Cursor string
	// NotificationID is the gateway's name for the notification; a stream does not tell it.
	NotificationID string
	// Kind is that of the interface, such as notifyPayment; KindUnknown is one that this version of the library has no type for.
	Kind NotificationKind
	// Body is what was told, such as a *PaymentNotification; or an *UnknownNotification.
	Body NotificationBody
	// CreatedTime says when it happened; a stream does not tell it.
	CreatedTime string
}

// EventsOptions says where to read on in the feed, and for how long.
type EventsOptions struct {
	// From is the cursor of the last event that you have applied: "" is the beginning, and "latest" the end.
	From string
	// PageSize is how many are asked for at once; 0 leaves it to the gateway.
	PageSize int64
	// Follow goes on at the end with the gateway's stream, until the context ends. Faults that pass end nothing: it goes on behind
	// the last event.
	Follow bool
	// Poll asks again after so long at the end of the feed, until the context ends. With 0, the loop ends there.
	Poll time.Duration
}

// Events reads on in the feed of everything that you are told by notification, page after page:
//
//	for event, err := range client.Tollgate.Events(ctx, tollgate.EventsOptions{From: cursor}) {
//
// An error ends the loop; begin again from the last cursor.
func (a *TollgateArea) Events(ctx context.Context, options EventsOptions) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		r := &reading{area: a, options: options, cursor: options.From, yield: yield}
		for {
			before := r.cursor
			err := r.catchUp(ctx)
			if err == nil && options.Follow {
				// Pages first, because one is signed for a hundred events, and each of a stream by itself.
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

// errLeft is that nobody wants more.
var errLeft = errors.New("the loop was left")

// reading is where somebody is in the feed.
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

// pauseAfter says how long to wait, and whether there is anything to wait for.
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
		words := "The feed broke off, and goes on behind " + r.cursor + ": " + err.Error()
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

// Notifications gives all notifications that the request asks for, the oldest first, page after page. An error ends the loop.
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
