module tollgate.example/tollgate

go 1.24
