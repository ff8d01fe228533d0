module idempotentledger

go 1.21
