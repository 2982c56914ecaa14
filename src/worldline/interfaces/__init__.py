"""Interfaces for people: reports, the viewer and the command line."""
