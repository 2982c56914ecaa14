"""Go: its syntax, its values, and a recorder that instruments the source."""
