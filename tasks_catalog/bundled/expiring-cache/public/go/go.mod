module agingcache

go 1.21
