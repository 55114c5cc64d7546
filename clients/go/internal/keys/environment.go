package keys

import (
	"errors"
	"fmt"
	"os"
)

// Setting is what is wrong with where a key stands, and not with the key.
type Setting struct{ Message string }

// Error is the sentence that every library says.
func (e *Setting) Error() string { return e.Message }

// LookUp gives a variable of the environment; "" is one that is not set.
type LookUp func(name string) string

// FromEnvironment finds a key: its text stands in the variable, or in the file that its twin `…_FILE` names. That both are
// set is refused: nobody would know which of them counts. Without either, it is nil.
func FromEnvironment[Key any](variable string, readKey func(string) (*Key, error), lookUp LookUp) (*Key, error) {
	text, file := lookUp(variable), lookUp(variable+"_FILE")
	switch {
	case text != "" && file != "":
		return nil, &Setting{fmt.Sprintf("%s and %s_FILE are both set. Set one of them.", variable, variable)}
	case text != "":
		return readKey(text)
	case file == "":
		return nil, nil
	}
	content, err := textOf(file, variable+"_FILE")
	if err != nil {
		return nil, err
	}
	key, err := readKey(content)
	var invalid *InvalidKey
	if errors.As(err, &invalid) {
		return nil, &InvalidKey{invalid.Reason, fmt.Sprintf("%s (%s_FILE: %s)", invalid.Message, variable, file)}
	}
	return key, err
}

func textOf(file, variable string) (string, error) {
	content, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		folder, folderError := os.Getwd()
		if folderError != nil {
			folder = "this folder"
		}
		return "", &Setting{fmt.Sprintf("%s names %s, and there is no such file, seen from %s.", variable, file, folder)}
	}
	if err != nil {
		return "", &Setting{fmt.Sprintf(
			"%s names %s, which cannot be read: it is no file, or its permissions keep this program out.", variable, file)}
	}
	return string(content), nil
}
