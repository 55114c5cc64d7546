module api-report.example

go 1.24
