"""Modules that gdb executes, in the sandbox: they trace a program; no other module imports them."""
