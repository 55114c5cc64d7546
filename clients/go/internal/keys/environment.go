package keys

import (
	"errors"
	"fmt"
	"os"
)

// Setting is a mistake in the settings of a key, and not in the key.
type Setting struct{ Message string }

// Error returns the same message as every other library.
func (e *Setting) Error() string { return e.Message }

// LookUp reads an environment variable; "" means that it is not set.
type LookUp func(name string) string

// FromEnvironment reads a key: its text from the variable, or its file from the variable with the suffix
// `_FILE`. If both are set, it returns an error, because the choice would be ambiguous. If neither is set,
// the key is nil.
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
		return "", &Setting{fmt.Sprintf("%s names %s, but this file does not exist. Working directory: %s.", variable, file, folder)}
	}
	if err != nil {
		return "", &Setting{fmt.Sprintf(
			"%s names %s, which cannot be read: it is not a file, or this program has no permission to read it.", variable, file)}
	}
	return string(content), nil
}
