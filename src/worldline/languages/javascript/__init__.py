"""JavaScript and TypeScript: recorder, source syntax and values."""
