"""Modules that gdb executes, in the sandbox, for programs in Rust."""
