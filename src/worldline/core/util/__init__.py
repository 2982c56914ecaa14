"""Utilities that know nothing about traces; import the modules, not the package."""
