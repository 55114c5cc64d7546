package tollgatetest

import (
	"context"
	"sync"
	"time"
)

// Clock stands still until it is moved. Whoever sleeps on it is awake at once, and later. Its zero value shows the beginning of
// 2026.
type Clock struct {
	mutex sync.Mutex
	moved time.Duration
	slept []time.Duration
}

// Now is the moment that it shows.
func (c *Clock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(c.moved)
}

// Sleep moves the clock, and returns at once.
func (c *Clock) Sleep(ctx context.Context, pause time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.slept = append(c.slept, pause)
	c.moved += pause
	return nil
}

// Advance moves the clock.
func (c *Clock) Advance(by time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.moved += by
}

// Slept says how long everybody has slept, one after the other.
func (c *Clock) Slept() []time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]time.Duration(nil), c.slept...)
}
