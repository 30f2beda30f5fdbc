"""Campaigns on a PostgreSQL server: any number of them in one database, and any number of writers."""
