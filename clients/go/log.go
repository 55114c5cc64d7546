package tollgate

import (
	"context"
	"log/slog"
	"os"
	"regexp"
)

var secretNames = regexp.MustCompile(`(?i)token|secret|password|cvv|cvc|cardno|cardnumber|authcode|privatekey`)

const hidden = "[hidden]"

// isSecret says whether a field of this name must not be written down.
func isSecret(name string) bool {
	return secretNames.MatchString(name) || isSecretField(name)
}

// redacted hides what must not be written down.
func redacted(value any) any {
	switch value := value.(type) {
	case []any:
		for index, each := range value {
			value[index] = redacted(each)
		}
	case map[string]any:
		for name, each := range value {
			if isSecret(name) {
				value[name] = hidden
			} else {
				value[name] = redacted(each)
			}
		}
	}
	return value
}

// redactedText is a model as JSON, for logs and for whoever prints one.
func redactedText(model any) string {
	written, err := writeJSON(model)
	if err != nil {
		return err.Error()
	}
	return string(redactedJSON(written))
}

func redactedJSON(data []byte) []byte {
	value, err := readAny(data)
	if err != nil {
		return []byte(hidden)
	}
	written, err := writeJSON(redacted(value))
	if err != nil {
		return []byte(hidden)
	}
	return written
}

// log is where the client tells what it does. Without a logger, nobody is told.
type log struct{ logger *slog.Logger }

func (l log) tell(ctx context.Context, level slog.Level, event string, facts CallFacts, more ...slog.Attr) {
	// A log that fails must not make a payment fail.
	defer func() { _ = recover() }()
	if l.logger == nil || !l.logger.Enabled(ctx, level) {
		return
	}
	attributes := make([]slog.Attr, 0, 4+len(more))
	if facts.Operation != "" {
		attributes = append(attributes, slog.String("operation", facts.Operation), slog.String("requestId", facts.RequestID))
	}
	if facts.TraceID != "" {
		attributes = append(attributes, slog.String("traceId", facts.TraceID))
	}
	if facts.Attempts > 0 {
		attributes = append(attributes, slog.Int("attempt", facts.Attempts))
	}
	l.logger.LogAttrs(ctx, level, event, append(attributes, more...)...)
}

// logsRequests saves the work of hiding what is secret where nobody looks.
func (l log) logsRequests(ctx context.Context) bool {
	return l.logger != nil && l.logger.Enabled(ctx, slog.LevelDebug)
}

// askEnvironmentForLogger takes what TOLLGATE_LOG says, where there is no logger: to see what happens without a change.
func (s *given) askEnvironmentForLogger() error {
	name := os.Getenv("TOLLGATE_LOG")
	if s.logger != nil || name == "" {
		return nil
	}
	level, isKnown := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn}[name]
	if !isKnown {
		return misconfigured("TOLLGATE_LOG is debug, info or warn, and not %s.", name)
	}
	s.logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})).With("library", "tollgate")
	return nil
}
