package tollgate

import (
	"time"

	"tollgate.example/tollgate/internal/wire"
)

// FormatTime formats a time for the API: whole seconds and a numeric offset, such as
// 2026-11-15T09:30:07+00:00. The API rejects the Z of time.RFC3339.
func FormatTime(at time.Time) string {
	return at.Format("2006-01-02T15:04:05-07:00")
}

// ParseTime parses a time of a response or webhook. Models keep the text, so parsing loses nothing.
func ParseTime(text string) (time.Time, error) {
	at, isTime := wire.ParseTime(text)
	if !isTime {
		return time.Time{}, misconfigured("Invalid time: %q", text)
	}
	return at, nil
}
