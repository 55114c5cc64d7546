"""The version of this library, written by `npm run version:write`; the build reads it from here."""

VERSION = "1.0.0-rc.1"
