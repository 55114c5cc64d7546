module tollgate.example/tollgate/life

go 1.24

require tollgate.example/tollgate v0.0.0

replace tollgate.example/tollgate => ../../go
