"""Of this library, written by `npm run version:write`; the build reads it from here."""

VERSION = "0.1.0"
