module meetingseries

go 1.21
