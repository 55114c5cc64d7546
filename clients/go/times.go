package tollgate

import (
	"time"

	"tollgate.example/tollgate/internal/wire"
)

// FormatTime writes a time as the interface has it: whole seconds and a numeric offset, such as 2026-11-15T09:30:07+00:00. The Z
// of time.RFC3339 is refused there.
func FormatTime(at time.Time) string {
	return at.Format("2006-01-02T15:04:05-07:00")
}

// ParseTime reads a time of an answer or a notification. Models keep the text, so nothing is lost by reading it.
func ParseTime(text string) (time.Time, error) {
	at, isTime := wire.ParseTime(text)
	if !isTime {
		return time.Time{}, misconfigured("This is no time: %q", text)
	}
	return at, nil
}
