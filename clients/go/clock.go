package tollgate

import (
	"context"
	"time"
)

// Clock is the time source of the library. Tests pass their own.
type Clock interface {
	// Now returns the current time of the clock.
	Now() time.Time
	// Sleep returns after the pause, or with the context's error if the context ends before.
	Sleep(ctx context.Context, pause time.Duration) error
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
