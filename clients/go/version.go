package tollgate

// Version is the version of this library; written by `npm run version:write`.
const Version = "1.0.0-rc.1"
