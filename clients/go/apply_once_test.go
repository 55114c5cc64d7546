package tollgate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tollgate.example/tollgate"
)

// shop is a database that supports only the statements of ApplyOnce.
type shop struct {
	statements []string
	sequence   map[string]int64
	failsAt    string
}

func (s *shop) execute(_ context.Context, statement string, parameters ...any) (int64, error) {
	word := strings.Fields(statement)[0]
	if word == "update" {
		word = strings.Fields(statement)[3]
	}
	s.statements = append(s.statements, word)
	if word == s.failsAt {
		return 0, errors.New("the database is away")
	}
	switch word {
	case "insert":
		subject, _ := parameters[0].(string)
		if _, isThere := s.sequence[subject]; !isThere {
			s.sequence[subject] = -1
		}
	case "claims":
		subject, _ := parameters[0].(string)
		if sequence, _ := parameters[1].(int64); s.sequence[subject] < sequence {
			return 1, nil
		}
	case "sequence":
		subject, _ := parameters[1].(string)
		s.sequence[subject], _ = parameters[0].(int64)
		return 1, nil
	}
	return 0, nil
}

func TestAWebhookIsAppliedOnce(t *testing.T) {
	database := &shop{sequence: map[string]int64{}}
	applied := 0
	apply := func(context.Context) error { applied++; return nil }
	for _, dialect := range []tollgate.Dialect{tollgate.PostgreSQL, tollgate.MySQL, tollgate.SQLite} {
		for _, each := range []struct {
			sequence int64
			isNew    bool
		}{{3, true}, {3, false}, {2, false}, {4, true}} {
			news := tollgate.News{Subject: string(dialect), Sequence: each.sequence}
			isNew, err := tollgate.ApplyOnceWith(context.Background(), database.execute, dialect, news, apply)
			if err != nil || isNew != each.isNew {
				t.Error(dialect, each.sequence, isNew, err)
			}
		}
		if database.sequence[string(dialect)] != 4 || !strings.Contains(dialect.CreateTable(), "tollgate_applied") {
			t.Error(database.sequence, dialect.CreateTable())
		}
	}
	if applied != 6 {
		t.Error(applied)
	}
	if order := strings.Join(database.statements[:7], " "); order != "insert savepoint rollback claims sequence release insert" {
		t.Error(order)
	}
}

func TestAFailedChangeLeavesNothingAndIsAppliedAgain(t *testing.T) {
	news := tollgate.News{Subject: "notifyPayment 1", Sequence: 1}
	failure := errors.New("there is no such order")
	database := &shop{sequence: map[string]int64{}}
	_, err := tollgate.ApplyOnceWith(context.Background(), database.execute, tollgate.SQLite, news,
		func(context.Context) error { return failure })
	if !errors.Is(err, failure) || database.sequence[news.Subject] != -1 {
		t.Error(err, database.sequence)
	}
	if order := strings.Join(database.statements, " "); order != "insert savepoint rollback claims rollback release" {
		t.Error(order)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is swallowed")
			}
		}()
		_, _ = tollgate.ApplyOnceWith(context.Background(), database.execute, tollgate.SQLite, news,
			func(context.Context) error { panic("at the disco") })
	}()
	if last := database.statements[len(database.statements)-2:]; strings.Join(last, " ") != "rollback release" {
		t.Error(database.statements)
	}
	database.failsAt = "rollback"
	_, err = tollgate.ApplyOnceWith(context.Background(), database.execute, tollgate.SQLite, news,
		func(context.Context) error { t.Error("applied without a transaction"); return nil })
	if err == nil {
		t.Error("no error without a transaction")
	}
	_, err = tollgate.ApplyOnceWith(context.Background(), database.execute, "oracle", news, nil)
	var misconfigured *tollgate.ConfigurationError
	if !errors.As(err, &misconfigured) {
		t.Error(err)
	}
}
