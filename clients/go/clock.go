package tollgate

import (
	"context"
	"time"
)

// Clock is time, as the library knows it. Tests pass their own.
type Clock interface {
	// Now is the moment that it shows.
	Now() time.Time
	// Sleep returns after so long, or with the context's error when that ends before.
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
