"""The typed tables, one file per aggregate; `all_tables` knows every one of them."""
