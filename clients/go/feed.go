package tollgate

import (
	"context"
	"iter"
	"time"
)

// Event is an entry of the feed: what was or will be told by notification, typed like one, and as good for ApplyOnce. The subject
// is the same as that of the notification, so whichever comes second is old news.
type Event struct {
	News
	// Cursor is its place in the feed. Keep it in the transaction in which you apply the event, and go on from there.
	Cursor string
	// NotificationID is the gateway's name for the notification.
	NotificationID string
	// Kind is that of the interface, such as notifyPayment; KindUnknown is one that this version of the library has no type for.
	Kind NotificationKind
	// Body is what was told, such as a *PaymentNotification; or an *UnknownNotification.
	Body NotificationBody
	// CreatedTime says when it happened.
	CreatedTime string
}

// EventsOptions says where to read on in the feed, and for how long.
type EventsOptions struct {
	// After is the cursor of the last event that you have applied: "" is the beginning, and "latest" the end.
	After string
	// PageSize is how many are asked for at once; 0 leaves it to the gateway.
	PageSize int64
	// Poll asks again after so long at the end of the feed, until the context ends. With 0, the loop ends there.
	Poll time.Duration
}

// Events reads on in the feed of everything that you are told by notification, page after page:
//
//	for event, err := range client.Tollgate.Events(ctx, tollgate.EventsOptions{After: cursor}) {
//
// An error ends the loop; begin again after the last cursor.
func (a *TollgateArea) Events(ctx context.Context, options EventsOptions) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		cursor := options.After
		for {
			request := InquiryEventsRequest{Cursor: cursor}
			if options.PageSize > 0 {
				request.Limit = &options.PageSize
			}
			page, err := a.InquiryEvents(ctx, request)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, each := range page.Events {
				event, err := eventOf(each)
				if !yield(event, err) || err != nil {
					return
				}
			}
			if page.NextCursor != "" {
				cursor = page.NextCursor
			}
			if page.HasMore != nil && *page.HasMore {
				continue
			}
			if options.Poll <= 0 {
				return
			}
			if a.caller.clock.Sleep(ctx, options.Poll) != nil {
				yield(nil, outcome{facts: page.Call}.canceled(ctx).err)
				return
			}
		}
	}
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
