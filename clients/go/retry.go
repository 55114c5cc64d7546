package tollgate

import (
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	firstRetryDelay   = 500 * time.Millisecond
	longestRetryDelay = 5 * time.Second
	// shortestRetryDelay is never zero: the next attempt must have a different time.
	shortestRetryDelay = 50 * time.Millisecond
	retryAfterMax      = 60 * time.Second
)

// retryDelay returns the delay before the next attempt; false if the gateway asks for a longer delay than the
// client allows.
func retryDelay(retriesBefore int, retryAfter time.Duration) (time.Duration, bool) {
	if retryAfter > retryAfterMax {
		return 0, false
	}
	longest := longestRetryDelay
	if retriesBefore < 4 {
		longest = min(longest, firstRetryDelay<<retriesBefore)
	}
	delay := shortestRetryDelay + time.Duration(rand.Float64()*float64(longest-shortestRetryDelay))
	return max(delay, retryAfter), true
}

var secondsForm = regexp.MustCompile(`^[0-9]{1,9}$`)

// readRetryAfter reads Retry-After: seconds, or a date; 0 for anything else.
func readRetryAfter(text string, now time.Time) time.Duration {
	if text = strings.TrimSpace(text); secondsForm.MatchString(text) {
		seconds, err := strconv.Atoi(text)
		if err != nil {
			return 0
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, at.Sub(now))
}
