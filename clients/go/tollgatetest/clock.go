package tollgatetest

import (
	"context"
	"sync"
	"time"
)

// Clock does not advance by itself. Sleep returns at once and advances the clock by its duration. Its zero
// value is the beginning of 2026.
type Clock struct {
	mutex sync.Mutex
	moved time.Duration
	slept []time.Duration
}

// Now returns the current time of the clock.
func (c *Clock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(c.moved)
}

// Sleep advances the clock, and returns at once.
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

// Advance advances the clock.
func (c *Clock) Advance(by time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.moved += by
}

// Slept returns all sleep times, in order.
func (c *Clock) Slept() []time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]time.Duration(nil), c.slept...)
}
