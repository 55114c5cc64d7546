module shop.example

go 1.24

require (
	github.com/go-chi/chi/v5 v5.5.0
	github.com/lib/pq v1.12.3
	tollgate.example/tollgate v1.0.0-rc.1
)

replace tollgate.example/tollgate => ../
