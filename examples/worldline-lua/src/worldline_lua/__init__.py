"""Lua programs in Worldline."""
