"""SQLAlchemy tables, one file per aggregate."""
