module textmerge

go 1.21
