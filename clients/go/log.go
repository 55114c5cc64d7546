package tollgate

import (
	"context"
	"log/slog"
	"os"
	"regexp"
)

var secretNames = regexp.MustCompile(`(?i)token|secret|password|cvv|cvc|cardno|cardnumber|authcode|privatekey`)

const hidden = "[hidden]"

// isSecret reports whether a field with this name must not be logged.
func isSecret(name string) bool {
	return secretNames.MatchString(name) || isSecretField(name)
}

// redacted returns a copy without the fields that must not be logged.
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

// redactedText returns a model as JSON with secret fields masked, for logs and for printing.
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

// log writes the client's log entries. Without a logger, it writes nothing.
type log struct{ logger *slog.Logger }

func (l log) tell(ctx context.Context, level slog.Level, event string, facts CallFacts, more ...slog.Attr) {
	// A logger that throws must not make a payment fail.
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

// logsRequests reports whether requests are logged; if not, the work of masking secrets is skipped.
func (l log) logsRequests(ctx context.Context) bool {
	return l.logger != nil && l.logger.Enabled(ctx, slog.LevelDebug)
}

// askEnvironmentForLogger creates the logger of TOLLGATE_LOG if there is no other logger, so that you can
// debug without a code change.
func (s *given) askEnvironmentForLogger() error {
	name := os.Getenv("TOLLGATE_LOG")
	if s.logger != nil || name == "" {
		return nil
	}
	level, isKnown := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn}[name]
	if !isKnown {
		return misconfigured("TOLLGATE_LOG must be debug, info or warn, not %s.", name)
	}
	s.logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})).With("library", "tollgate")
	return nil
}
