module invoicetotals

go 1.21
