module breakerguard

go 1.21
