module booking

go 1.21
