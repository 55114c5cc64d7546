// Runs every case of the conformance files, and prints a verdict for each.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
)

// object is a JSON object.
type object = map[string]any

// testCase is one case of a file.
type testCase struct {
	ID string `json:"id"`
	// raw is the complete JSON of the case.
	raw json.RawMessage
}

func (c *testCase) UnmarshalJSON(data []byte) error {
	var named struct {
		ID string `json:"id"`
	}
	c.raw = append(json.RawMessage(nil), data...)
	err := json.Unmarshal(data, &named)
	c.ID = named.ID
	return err
}

// suite is a file of cases and the function that runs one: it returns the problem, or "" if there is none.
type suite struct {
	file     string
	cases    []testCase
	run      func(testCase) string
	parallel int
}

func main() {
	keyload := read[struct {
		Cases    []testCase `json:"cases"`
		Settings []testCase `json:"settings"`
	}]("keyload.json")
	suites := []suite{
		{"sign", casesOf("sign.json"), signCase, 1},
		{"verify", casesOf("verify.json"), verifyCase, 1},
		{"keyload", keyload.Cases, keyCase, 1},
		{"keyload", keyload.Settings, keySettingCase, 1},
		{"money", casesOf("money.json"), moneyCase, 1},
		{"models", casesOf("models.json"), modelCase, 1},
		{"outcomes", casesOf("outcomes.json"), outcomeCase, 1},
		{"http", casesOf("http.json"), httpCase, 8},
		{"by-code", casesOf("by-code.json"), byCodeCase, 8},
	}
	hasFailed := false
	for _, each := range suites {
		hasFailed = each.report() || hasFailed
	}
	if hasFailed {
		os.Exit(1)
	}
}

// report runs all cases, and prints the verdicts in their order.
func (s suite) report() (hasFailed bool) {
	problems := make([]string, len(s.cases))
	places := make(chan struct{}, s.parallel)
	var running sync.WaitGroup
	for index, each := range s.cases {
		places <- struct{}{}
		running.Add(1)
		go func() {
			defer func() { <-places; running.Done() }()
			problems[index] = s.judge(each)
		}()
	}
	running.Wait()
	for index, each := range s.cases {
		verdict := "ok"
		if problems[index] != "" {
			hasFailed = true
			verdict = "FAILED " + strings.Join(strings.Fields(problems[index]), " ")
		}
		fmt.Printf("%s/%s %s\n", s.file, each.ID, verdict)
	}
	return hasFailed
}

// judge converts a panic to a failed verdict.
func (s suite) judge(each testCase) (problem string) {
	defer func() {
		if fault := recover(); fault != nil {
			problem = fmt.Sprint("panic: ", fault)
		}
	}()
	return s.run(each)
}

func read[Content any](name string) Content {
	var content Content
	text, err := os.ReadFile(filepath.Join("..", name))
	if err == nil {
		err = json.Unmarshal(text, &content)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return content
}

func casesOf(name string) []testCase {
	return read[struct {
		Cases []testCase `json:"cases"`
	}](name).Cases
}

func as[Content any](each testCase) Content {
	var content Content
	if err := json.Unmarshal(each.raw, &content); err != nil {
		panic(err)
	}
	return content
}

// difference returns "" if both are the same JSON in any order of fields.
func difference(actual, expected any) string {
	one, other := plain(actual), plain(expected)
	if reflect.DeepEqual(one, other) {
		return ""
	}
	return fmt.Sprintf("%s is not %s", text(one), text(other))
}

func plain(value any) any {
	var back any
	if err := json.Unmarshal([]byte(text(value)), &back); err != nil {
		panic(err)
	}
	return back
}

func text(value any) string {
	written, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(written)
}
